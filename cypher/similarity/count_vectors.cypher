// How many shared vectors a project has.
// params: project
// returns: vectors
// :param {project: "demo"}
MATCH (v:Vector {project_id: $project})
WHERE v.id > ''
RETURN count(v) AS vectors
