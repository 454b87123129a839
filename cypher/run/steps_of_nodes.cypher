// The steps that work nodes have in running runs, as one row.
// params: keys
// returns: steps
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})<-[s:STEP]-(r:Run)
WHERE r.status = 'running'
WITH r, n, s ORDER BY r.id, s.position
RETURN collect([r.id, n.id, s {.*, started_at: toStringOrNull(s.started_at),
  finished_at: toStringOrNull(s.finished_at), not_before: toStringOrNull(s.not_before),
  lease_until: toStringOrNull(s.lease_until), heartbeat_at: toStringOrNull(s.heartbeat_at)}]) AS steps
