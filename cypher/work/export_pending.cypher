// A page of a project's pending edges, with their place, as one row.
// params: project, after, first
// returns: pending
// :param {project: "demo", after: "", first: 1000}
MATCH (p:PendingEdge {project_id: $project})
WHERE p.src > '' AND p.key > $after
WITH p ORDER BY p.key LIMIT $first
RETURN collect(p {.key, .type, .data, .ordinal}) AS pending
