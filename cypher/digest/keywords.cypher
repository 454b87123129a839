// A page of a project's Keywords that work nodes name, with every property, as one row.
// params: project, after, first
// returns: page
// :param {project: "demo", after: "", first: 1000}
MATCH (n:Keyword {project_id: $project})
WHERE n.name > $after AND EXISTS { (n)<--(:WorkNode) }
WITH n ORDER BY n.name LIMIT $first
RETURN collect([n.name, properties(n), []]) AS page
