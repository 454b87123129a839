// The first step of a run that can be claimed, of some kinds (any where none is named) and tags.
// params: run, clock, kinds, tags
// returns: node, step
// :param {run: "demo/r1", clock: 0, kinds: ["micro_prompt"], tags: []}
MATCH ()-[s:STEP]->(n:WorkNode)
WHERE s.run_key = $run AND s.queue < 1.0e308 AND s.position >= 0
  AND coalesce(s.retry_at, 0) <= $clock AND n.status IN ['ready', 'completed', 'skipped']
  AND (size($kinds) = 0 OR n.kind IN $kinds)
  AND (size($tags) = 0 OR EXISTS {
    MATCH (n)-[:TAGGED]->(k:Keyword) WHERE k.key IN $tags
  })
WITH s, n ORDER BY s.run_key, s.queue, s.position LIMIT 1
RETURN n.id AS node, s {.*, started_at: toStringOrNull(s.started_at),
  finished_at: toStringOrNull(s.finished_at), not_before: toStringOrNull(s.not_before),
  lease_until: toStringOrNull(s.lease_until), heartbeat_at: toStringOrNull(s.heartbeat_at)} AS step
