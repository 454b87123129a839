// A page of a project's pending edges and steps with every property, as one row.
// params: project, after, first
// returns: page
// :param {project: "demo", after: "", first: 1000}
MATCH (n:PendingEdge {project_id: $project})
WHERE n.key > $after AND n.src > ''
WITH n ORDER BY n.key LIMIT $first
RETURN collect([n.key, properties(n), []]) AS page
