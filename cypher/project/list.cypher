// Projects by id, as one row.
// params: first, after
// returns: projects
// :param {first: 50, after: ""}
MATCH (p:Project)
WHERE p.key > $after
WITH p ORDER BY p.key LIMIT $first
RETURN collect(p {.id, .seq, .settings, .created_at, .updated_at}) AS projects
