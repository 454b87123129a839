// The nodes that have an estimate, and their minutes, one row.
// params: project
// returns: internal, minutes
// :param {project: "demo"}
MATCH (n:WorkNode {project_id: $project})
WHERE n.estimate_minutes >= 0
RETURN collect(id(n)) AS internal, collect(n.estimate_minutes) AS minutes
