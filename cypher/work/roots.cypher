// Nodes that have children and no parent, as one row.
// params: project, limit
// returns: ids
// :param {project: "demo", limit: 1000}
MATCH (n:WorkNode {project_id: $project})
WHERE n.id > '' AND EXISTS { (n)<-[:DERIVED_FROM]-(:WorkNode) } AND NOT EXISTS { (n)-[:DERIVED_FROM]->(:WorkNode) }
WITH n ORDER BY n.id LIMIT $limit
RETURN collect(n.id) AS ids
