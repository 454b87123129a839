// Required tags that no node produces, each with the nodes that ask, as one row.
// params: project, limit
// returns: unmet
// :param {project: "demo", limit: 1000}
MATCH (t:Tag {project_id: $project})
WHERE t.name > '' AND NOT EXISTS { (t)<-[:PRODUCES]-(:WorkNode) }
WITH t ORDER BY t.name LIMIT $limit
RETURN collect([t.name,
  COLLECT { MATCH (t)<-[:REQUIRES]-(n:WorkNode) RETURN DISTINCT n.id ORDER BY n.id LIMIT 1000 }]) AS unmet
