// The steps of a run in some statuses, or that its cancelling skipped, as one row.
// params: run, statuses, cancelled
// returns: steps
// :param {run: "demo/r1", statuses: ["running"], cancelled: false}
MATCH (r:Run {key: $run})-[s:STEP]->(n:WorkNode)
WHERE coalesce(s.status, 'ready') IN $statuses OR ($cancelled AND s.cancelled = true)
WITH n, s ORDER BY s.position
RETURN collect([n.id, s {.*, started_at: toStringOrNull(s.started_at),
  finished_at: toStringOrNull(s.finished_at), not_before: toStringOrNull(s.not_before),
  lease_until: toStringOrNull(s.lease_until), heartbeat_at: toStringOrNull(s.heartbeat_at)}]) AS steps
