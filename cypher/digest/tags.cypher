// A page of a project's Tags with every property, as one row.
// params: project, after, first
// returns: page
// :param {project: "demo", after: "", first: 1000}
MATCH (n:Tag {project_id: $project})
WHERE n.name > $after
WITH n ORDER BY n.name LIMIT $first
RETURN collect([n.name, properties(n), []]) AS page
