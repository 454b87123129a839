// Relationships of a project's nodes that lead into another project, as one row.
// params: project, limit
// returns: crossing
// :param {project: "demo", limit: 20}
MATCH (a:WorkNode {project_id: $project})-[r]-(b)
WHERE a.id IS NOT NULL AND (b.project_id <> $project OR r.project_id <> $project)
WITH r LIMIT $limit
RETURN collect([type(r), startNode(r).key, endNode(r).key]) AS crossing
