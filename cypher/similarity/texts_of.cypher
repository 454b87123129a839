// What given nodes say, as one row.
// params: keys
// returns: nodes
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
RETURN collect([n.id, n.summary, n.prompt_text,
  COLLECT { MATCH (n)-[r:TAGGED]->(k:Keyword) RETURN k.name ORDER BY r.position }]) AS nodes
