// Below each of these tasks its first children with something kept that is asked for: one row.
// params: tasks, kept, first
// returns: branches
// :param {tasks: ["demo/t/a"], kept: ["sub_tasks"], first: 100}
UNWIND $tasks AS key
MATCH (p:Task {key: key})
CALL (p) {
  MATCH (p)-[s:SPAWNED]->(t:Task)
  WHERE any(name IN $kept WHERE t[name] > 0)
  WITH p, s, t ORDER BY s.position LIMIT $first
  RETURN collect([t {.*, created_at: toStringOrNull(t.created_at),
    started_at: toStringOrNull(t.started_at), completed_at: toStringOrNull(t.completed_at)},
    [p.id, s.position],
    COLLECT { MATCH (t)-[r:READ]->(d:Document) RETURN [d.id, d.source, properties(r)]
      ORDER BY r.position }]) AS children
}
RETURN collect([p.id, children]) AS branches
