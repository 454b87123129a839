// A task as get_task has it, its parent, how many stand below it and beside it, and its lease.
// params: task
// returns: found, parent, below, beside, turn, until, token
// :param {task: "demo/t/a"}
MATCH (t:Task {key: $task})
RETURN [t {.*, created_at: toStringOrNull(t.created_at),
  started_at: toStringOrNull(t.started_at), completed_at: toStringOrNull(t.completed_at)},
  head(COLLECT { MATCH (p:Task)-[s:SPAWNED]->(t) RETURN [p.id, s.position] LIMIT 1 }),
  COLLECT { MATCH (t)-[r:READ]->(d:Document) RETURN [d.id, d.source, properties(r)]
    ORDER BY r.position }] AS found,
  head(COLLECT { MATCH (p:Task)-[:SPAWNED]->(t)
    RETURN p {.id, .prompt, .status, .result, .decomposition_strategy, .tree_id} LIMIT 1 }) AS parent,
  COUNT { (t)-[:SPAWNED]->() } AS below,
  head(COLLECT { MATCH (p:Task)-[:SPAWNED]->(t) RETURN COUNT { (p)-[:SPAWNED]->() } LIMIT 1 }) AS beside,
  t.turn AS turn, t.lease_until AS until, t.lease_token AS token
