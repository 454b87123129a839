// The open nodes that have children, one row.
// params: project
// returns: internal
// :param {project: "demo"}
MATCH (n:WorkNode {project_id: $project})
WHERE n.status IN ['ready', 'running', 'blocked', 'failed'] AND n.id > ''
  AND EXISTS { (n)<-[:DERIVED_FROM]-(:WorkNode) }
RETURN collect(id(n)) AS internal
