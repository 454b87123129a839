// A page of a project's runs, as one row.
// params: project, after, first
// returns: runs
// :param {project: "demo", after: "", first: 100}
MATCH (r:Run {project_id: $project})
WHERE r.id > $after
WITH r ORDER BY r.id LIMIT $first
RETURN collect(r {.*}) AS runs
