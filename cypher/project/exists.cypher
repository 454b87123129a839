// Whether there is a project: one row with its id, or none.
// params: project
// returns: project
// :param {project: "demo"}
MATCH (p:Project {key: $project})
RETURN p.key AS project
