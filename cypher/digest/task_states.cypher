// A page of a project's states with every property, as one row.
// params: project, after, first
// returns: page
// :param {project: "demo", after: "", first: 1000}
MATCH (s:TaskState {project_id: $project})
WHERE s.id > $after
WITH s ORDER BY s.id LIMIT $first
RETURN collect([s.id, properties(s)]) AS page
