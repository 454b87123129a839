// Change a task's own properties, add to the totals on it and above, and mark its tree as changed.
// params: task, tree, properties, changes
// returns: touched, most, inclusive
// :param {task: "demo/t/a", tree: "demo/t", properties: {status: "running"}, changes: null}
MATCH (t:Task {key: $task})
SET t += $properties
SET t.revision = t.revision + 1, t.created_at = datetime(t.created_at),
  t.started_at = datetime(t.started_at), t.completed_at = datetime(t.completed_at)
WITH t
CALL (t) {
  WITH t WHERE $changes IS NOT NULL
  MATCH (t)<-[:SPAWNED*0..]-(a:Task)
  SET a.sub_tasks = a.sub_tasks + $changes.sub_tasks,
    a.sub_input_tokens = a.sub_input_tokens + $changes.sub_input_tokens,
    a.sub_output_tokens = a.sub_output_tokens + $changes.sub_output_tokens,
    a.sub_total_tokens = a.sub_total_tokens + $changes.sub_total_tokens,
    a.sub_cache_hits = a.sub_cache_hits + $changes.sub_cache_hits,
    a.sub_unpriced = a.sub_unpriced + $changes.sub_unpriced,
    a.sub_cost_micro = a.sub_cost_micro + $changes.sub_cost_micro,
    a.sub_cost_rest = a.sub_cost_rest + $changes.sub_cost_rest,
    a.sub_savings_micro = a.sub_savings_micro + $changes.sub_savings_micro,
    a.sub_savings_rest = a.sub_savings_rest + $changes.sub_savings_rest
  RETURN [max(a.sub_total_tokens), max(a.sub_cache_hits), max(a.sub_cost_micro),
    max(a.sub_savings_micro)] AS most
}
CALL () {
  MATCH (w:TaskTree {key: $tree}) WHERE w.touched IS NULL
  SET w.touched = true, w.revision = w.revision + 1
  RETURN count(w) AS touched
}
RETURN touched, most, [t.sub_tasks, t.sub_input_tokens, t.sub_output_tokens, t.sub_total_tokens,
  t.sub_cache_hits, t.sub_unpriced, t.sub_cost_micro, t.sub_cost_rest,
  t.sub_savings_micro, t.sub_savings_rest] AS inclusive
