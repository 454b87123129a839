// A project's tasks, of one session if given, grouped by one of their properties: sums as one row.
// params: project, session, by, limit
// returns: groups
// :param {project: "demo", session: null, by: "model", limit: 100}
MATCH (t:Task {project_id: $project})
WHERE t.tree_id > '' AND t.id > ''
  AND ($session IS NULL OR EXISTS {
    MATCH (w:TaskTree {project_id: $project, id: t.tree_id})
    WHERE w.session_id = $session })
WITH CASE $by WHEN 'model' THEN t.model WHEN 'depth' THEN toString(t.depth)
    WHEN 'strategy' THEN t.decomposition_strategy WHEN 'status' THEN t.status ELSE t.day END AS name,
  [count(t), sum(t.input_tokens), sum(t.output_tokens), sum(t.total_tokens),
    sum(t.cache_hits),
    sum(CASE WHEN t.total_tokens > 0 AND (t.cost_pico IS NULL OR t.unpriced_tokens > 0) THEN 1 ELSE 0 END),
    sum(t.cost_pico / 1000000), sum(t.cost_pico % 1000000),
    sum(t.savings_pico / 1000000), sum(t.savings_pico % 1000000)] AS sums
ORDER BY name LIMIT $limit
RETURN collect([name, sums]) AS groups
