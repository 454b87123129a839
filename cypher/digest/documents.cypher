// A page of a project's documents with every property, as one row.
// params: project, after, first
// returns: page
// :param {project: "demo", after: "", first: 1000}
MATCH (d:Document)
WHERE d.key STARTS WITH $project + '/' AND d.key > $after AND d.project_id = $project
WITH d ORDER BY d.key LIMIT $first
RETURN collect([d.key, properties(d)]) AS page
