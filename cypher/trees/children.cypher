// A task's children from one place to before another, each as get_task has it: one row.
// params: task, from, to
// returns: children
// :param {task: "demo/t/a", from: 0, to: 1000}
MATCH (p:Task {key: $task})-[s:SPAWNED]->(t:Task)
WHERE $from <= s.position < $to
WITH p, s, t ORDER BY s.position
RETURN collect([t {.*, created_at: toStringOrNull(t.created_at),
  started_at: toStringOrNull(t.started_at), completed_at: toStringOrNull(t.completed_at)},
  [p.id, s.position],
  COLLECT { MATCH (t)-[r:READ]->(d:Document) RETURN [d.id, d.source, properties(r)]
    ORDER BY r.position }]) AS children
