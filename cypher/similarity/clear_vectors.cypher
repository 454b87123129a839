// Delete up to `limit` of a project's shared vectors; 0 where none is left.
// params: project, limit
// returns: deleted
// :param {project: "demo", limit: 10000}
MATCH (v:Vector {project_id: $project})
WHERE v.id > ''
WITH v LIMIT $limit
DELETE v
RETURN count(*) AS deleted
