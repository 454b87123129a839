// A project's shared vectors after an id, in the order of ids, packed, as one row.
// params: project, after, limit
// returns: vectors
// :param {project: "demo", after: "", limit: 5000}
MATCH (v:Vector {project_id: $project})
WHERE v.id > $after
WITH v ORDER BY v.id LIMIT $limit
RETURN collect([v.id, coalesce(v.packed, v.embedding)]) AS vectors
