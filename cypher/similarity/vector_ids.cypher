// Ids of all of a project's shared vectors, as one row.
// params: project
// returns: ids
// :param {project: "demo"}
MATCH (v:Vector {project_id: $project})
WHERE v.id > ''
RETURN collect(v.id) AS ids
