// A task with its parent, its place and its documents, as one row.
// params: task
// returns: found
// :param {task: "demo/t/a"}
MATCH (t:Task {key: $task})
RETURN [t {.*, created_at: toStringOrNull(t.created_at),
  started_at: toStringOrNull(t.started_at), completed_at: toStringOrNull(t.completed_at)},
  head(COLLECT { MATCH (p:Task)-[s:SPAWNED]->(t) RETURN [p.id, s.position] LIMIT 1 }),
  COLLECT { MATCH (t)-[r:READ]->(d:Document) RETURN [d.id, d.source, properties(r)]
    ORDER BY r.position }] AS found
