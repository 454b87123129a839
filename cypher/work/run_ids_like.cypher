// Ids of a project's runs that begin with a text, as one row.
// params: project, start
// returns: ids
// :param {project: "demo", start: "run-2025"}
MATCH (r:Run {project_id: $project})
WHERE r.id STARTS WITH $start
RETURN collect(r.id) AS ids
