// The steps of a run that can be claimed, in the order of claims, as one row; none for no run.
// params: project, run, first
// returns: status, current, on_failure, failed, clock, steps
// :param {project: "demo", run: "demo/r1", first: 50}
MATCH (p:Project {key: $project})
MATCH (r:Run {key: $run})
WITH p, r, datetime.realtime('Z').epochMillis AS wall
WITH r, coalesce(p.graph_seq, 0) AS graph_seq, wall + coalesce(p.clock_offset, 0) +
  CASE WHEN p.clock_wall > wall THEN p.clock_wall - wall ELSE 0 END AS clock
RETURN coalesce(r.status, 'planned') AS status, coalesce(r.counted_seq >= graph_seq, false) AS current,
  r.on_failure AS on_failure, coalesce(r.steps_failed, 0) AS failed, clock, COLLECT {
  MATCH ()-[s:STEP]->(n:WorkNode)
  WHERE s.run_key = $run AND s.queue < 1.0e308 AND s.position >= 0
    AND coalesce(s.retry_at, 0) <= clock AND n.status = 'ready'
  WITH s, n ORDER BY s.run_key, s.queue, s.position LIMIT $first
  RETURN [n.id, s {.*, started_at: toStringOrNull(s.started_at),
    finished_at: toStringOrNull(s.finished_at), not_before: toStringOrNull(s.not_before),
    lease_until: toStringOrNull(s.lease_until), heartbeat_at: toStringOrNull(s.heartbeat_at)}]
} AS steps
