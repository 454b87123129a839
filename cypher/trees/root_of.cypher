// A tree's root: its key, what is stated otherwise, and its cost alone and with all below it.
// params: tree
// returns: root, stated, own, inclusive
// :param {tree: "demo/t"}
MATCH (w:TaskTree {key: $tree})-[:ROOT]->(r:Task)
RETURN r.key AS root, coalesce(w.stated, []) AS stated,
  [1, coalesce(r.input_tokens, 0), coalesce(r.output_tokens, 0), coalesce(r.total_tokens, 0),
    coalesce(r.cache_hits, 0),
    CASE WHEN r.total_tokens > 0 AND (r.cost_pico IS NULL OR r.unpriced_tokens > 0)
      THEN 1 ELSE 0 END,
    coalesce(r.cost_pico, 0) / 1000000, coalesce(r.cost_pico, 0) % 1000000,
    coalesce(r.savings_pico, 0) / 1000000, coalesce(r.savings_pico, 0) % 1000000] AS own,
  [r.sub_tasks, r.sub_input_tokens, r.sub_output_tokens, r.sub_total_tokens,
    r.sub_cache_hits, r.sub_unpriced, r.sub_cost_micro, r.sub_cost_rest,
    r.sub_savings_micro, r.sub_savings_rest] AS inclusive
