// What nodes say, those after an id in the order of ids, as one row.
// params: project, after, limit
// returns: nodes
// :param {project: "demo", after: "", limit: 500}
MATCH (n:WorkNode {project_id: $project})
WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN collect([n.id, n.summary, n.prompt_text,
  COLLECT { MATCH (n)-[r:TAGGED]->(k:Keyword) RETURN k.name ORDER BY r.position }]) AS nodes
