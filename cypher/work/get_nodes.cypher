// Work nodes by key with their tags, parent and children, as one row.
// params: keys
// returns: nodes
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
RETURN collect(n {.*, created_at: toString(n.created_at), updated_at: toString(n.updated_at),
  requires: COLLECT { MATCH (n)-[r:REQUIRES]->(t:Tag) RETURN t.name ORDER BY r.position },
  produces: COLLECT { MATCH (n)-[r:PRODUCES]->(t:Tag) RETURN t.name ORDER BY r.position },
  tags: COLLECT { MATCH (n)-[r:TAGGED]->(k:Keyword) RETURN k.name ORDER BY r.position },
  parent: head(COLLECT { MATCH (n)-[:DERIVED_FROM]->(p:WorkNode) RETURN p.id LIMIT 1 }),
  children: COLLECT {
    MATCH (c:WorkNode)-[r:DERIVED_FROM]->(n)
    RETURN c.id ORDER BY coalesce(r.position, 1000000), c.id
  }}) AS nodes
