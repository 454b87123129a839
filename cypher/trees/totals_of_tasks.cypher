// What tasks cost alone, and with all below them as the kept totals have it, summed over the tasks.
// params: tasks
// returns: own, inclusive
// :param {tasks: ["demo/t/a"]}
UNWIND $tasks AS key
MATCH (r:Task {key: key})
RETURN [count(r), sum(r.input_tokens), sum(r.output_tokens), sum(r.total_tokens),
    sum(r.cache_hits),
    sum(CASE WHEN r.total_tokens > 0 AND (r.cost_pico IS NULL OR r.unpriced_tokens > 0) THEN 1 ELSE 0 END),
    sum(r.cost_pico / 1000000), sum(r.cost_pico % 1000000),
    sum(r.savings_pico / 1000000), sum(r.savings_pico % 1000000)] AS own,
  [sum(r.sub_tasks), sum(r.sub_input_tokens), sum(r.sub_output_tokens), sum(r.sub_total_tokens),
    sum(r.sub_cache_hits), sum(r.sub_unpriced), sum(r.sub_cost_micro), sum(r.sub_cost_rest),
    sum(r.sub_savings_micro), sum(r.sub_savings_rest)] AS inclusive
