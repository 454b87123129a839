// Add a change of a task's own tokens and money to the totals kept on it and on all above it.
// params: task, changes
// returns: changed
// :param {task: "demo/t/a", changes: {sub_tasks: 0, sub_input_tokens: 1, sub_output_tokens: 1, sub_total_tokens: 2, sub_cache_hits: 0, sub_unpriced: 0, sub_cost_micro: 1, sub_cost_rest: 0, sub_savings_micro: 0, sub_savings_rest: 0}}
MATCH (:Task {key: $task})<-[:SPAWNED*0..]-(a:Task)
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
RETURN count(a) AS changed
