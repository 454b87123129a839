// Tasks whose kept totals and turns are not their own and their children's, each with its tree, as one row.
// params: project, limit
// returns: unequal
// :param {project: "demo", limit: 5}
MATCH (t:Task {project_id: $project})
WHERE t.tree_id > '' AND t.id > ''
OPTIONAL MATCH (t)-[:SPAWNED]->(c:Task)
WITH t, sum(c.sub_tasks) AS tasks, sum(c.sub_input_tokens) AS into, sum(c.sub_output_tokens) AS out,
  sum(c.sub_total_tokens) AS tokens, sum(c.sub_cache_hits) AS hits, sum(c.sub_unpriced) AS unpriced,
  sum(c.sub_cost_micro) AS micro, sum(c.sub_cost_rest) AS rest,
  sum(c.sub_savings_micro) AS saved, sum(c.sub_savings_rest) AS saved_rest,
  sum(c.sub_ready) AS ready, sum(c.sub_waiting) AS waiting, sum(c.sub_running) AS running
WHERE NOT coalesce(t.sub_tasks = tasks + 1 AND t.sub_input_tokens = into + coalesce(t.input_tokens, 0)
  AND t.sub_output_tokens = out + coalesce(t.output_tokens, 0)
  AND t.sub_total_tokens = tokens + coalesce(t.total_tokens, 0)
  AND t.sub_cache_hits = hits + coalesce(t.cache_hits, 0)
  AND t.sub_unpriced = unpriced
    + CASE WHEN t.total_tokens > 0 AND (t.cost_pico IS NULL OR t.unpriced_tokens > 0) THEN 1 ELSE 0 END
  AND (t.sub_cost_micro - micro - coalesce(t.cost_pico, 0) / 1000000) * 1000000
    + t.sub_cost_rest - rest - coalesce(t.cost_pico, 0) % 1000000 = 0
  AND (t.sub_savings_micro - saved - coalesce(t.savings_pico, 0) / 1000000) * 1000000
    + t.sub_savings_rest - saved_rest - coalesce(t.savings_pico, 0) % 1000000 = 0
  AND coalesce(t.sub_ready, 0) = ready + CASE t.turn WHEN 'ready' THEN 1 ELSE 0 END
  AND coalesce(t.sub_waiting, 0) = waiting + CASE t.turn WHEN 'waiting' THEN 1 ELSE 0 END
  AND coalesce(t.sub_running, 0) = running + CASE t.turn WHEN 'running' THEN 1 ELSE 0 END
  AND (coalesce(t.sub_ready, 0) > 0) = (t.ready_under IS NOT NULL), false)
WITH t LIMIT $limit
RETURN collect([t.tree_id, t.id]) AS unequal
