// The ids of a project's first work nodes by id, of some statuses (none: of any), as one row.
// params: project, statuses, first
// returns: ids
// :param {project: "demo", statuses: [], first: 100}
MATCH (n:WorkNode {project_id: $project})
WHERE n.id >= '' AND (size($statuses) = 0 OR n.status IN $statuses)
WITH n.id AS id ORDER BY id LIMIT $first
RETURN collect(id) AS ids
