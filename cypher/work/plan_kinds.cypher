// The kinds of open nodes, one row.
// params: project
// returns: internal, kinds
// :param {project: "demo"}
MATCH (n:WorkNode {project_id: $project})
WHERE n.status IN ['ready', 'running', 'blocked', 'failed'] AND n.id > ''
RETURN collect(id(n)) AS internal, collect(coalesce(n.kind, '')) AS kinds
