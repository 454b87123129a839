// What a task costs with all below it, added up anew from the tasks themselves.
// params: task
// returns: inclusive
// :param {task: "demo/t/a"}
MATCH (:Task {key: $task})-[:SPAWNED*0..]->(t:Task)
RETURN [count(t), sum(t.input_tokens), sum(t.output_tokens), sum(t.total_tokens),
    sum(t.cache_hits),
    sum(CASE WHEN t.total_tokens > 0 AND (t.cost_pico IS NULL OR t.unpriced_tokens > 0) THEN 1 ELSE 0 END),
    sum(t.cost_pico / 1000000), sum(t.cost_pico % 1000000),
    sum(t.savings_pico / 1000000), sum(t.savings_pico % 1000000)] AS inclusive
