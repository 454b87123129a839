// A page of a project's task trees with every property and every relationship out of them: one row.
// params: project, after, first
// returns: page
// :param {project: "demo", after: "", first: 1000}
MATCH (t:TaskTree {project_id: $project})
WHERE t.id > $after
WITH t ORDER BY t.id LIMIT $first
RETURN collect([t.id, t {.*, added_at: toStringOrNull(t.added_at),
  created_at: toStringOrNull(t.created_at), completed_at: toStringOrNull(t.completed_at)},
  COLLECT { MATCH (t)-[r]->(m) RETURN [type(r), m.id, properties(r)] }]) AS page
