// A page of a project's tasks with every property and every relationship out of them: one row.
// params: project, after, first
// returns: page
// :param {project: "demo", after: "", first: 1000}
MATCH (t:Task)
WHERE t.key STARTS WITH $project + '/' AND t.key > $after AND t.project_id = $project
WITH t ORDER BY t.key LIMIT $first
RETURN collect([t.key, t {.*, created_at: toStringOrNull(t.created_at),
  started_at: toStringOrNull(t.started_at), completed_at: toStringOrNull(t.completed_at)},
  COLLECT { MATCH (t)-[r]->(m) RETURN [type(r), m.id, properties(r), m.source] }]) AS page
