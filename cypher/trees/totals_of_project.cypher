// What the roots of a project's trees cost alone and with all below them, of one session if given.
// params: project, session
// returns: own, inclusive
// :param {project: "demo", session: null}
MATCH (w:TaskTree {project_id: $project})
WHERE w.id > '' AND ($session IS NULL OR w.session_id = $session)
MATCH (w)-[:ROOT]->(r:Task)
RETURN [count(r), sum(r.input_tokens), sum(r.output_tokens), sum(r.total_tokens),
    sum(r.cache_hits),
    sum(CASE WHEN r.total_tokens > 0 AND (r.cost_pico IS NULL OR r.unpriced_tokens > 0) THEN 1 ELSE 0 END),
    sum(r.cost_pico / 1000000), sum(r.cost_pico % 1000000),
    sum(r.savings_pico / 1000000), sum(r.savings_pico % 1000000)] AS own,
  [sum(r.sub_tasks), sum(r.sub_input_tokens), sum(r.sub_output_tokens), sum(r.sub_total_tokens),
    sum(r.sub_cache_hits), sum(r.sub_unpriced), sum(r.sub_cost_micro), sum(r.sub_cost_rest),
    sum(r.sub_savings_micro), sum(r.sub_savings_rest)] AS inclusive
