// A page of a project's work nodes as their rows need them, with their place, as one row.
// params: project, after, first
// returns: nodes
// :param {project: "demo", after: "", first: 1000}
MATCH (n:WorkNode {project_id: $project})
WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $first
RETURN collect(n {.*,
  requires: COLLECT { MATCH (n)-[r:REQUIRES]->(t:Tag) RETURN t.name ORDER BY r.position },
  produces: COLLECT { MATCH (n)-[r:PRODUCES]->(t:Tag) RETURN t.name ORDER BY r.position },
  tags: COLLECT { MATCH (n)-[r:TAGGED]->(k:Keyword) RETURN k.name ORDER BY r.position }}) AS nodes
