// When time alone will make a step of a run ready: the next retry, or the next end of a lease.
// params: run, clock
// returns: at
// :param {run: "demo/r1", clock: 0}
CALL () {
  MATCH ()-[s:STEP]->(:WorkNode)
  WHERE s.run_key = $run AND s.queue < 1.0e308 AND s.position >= 0 AND s.retry_at > $clock
  RETURN min(s.retry_at) AS at
  UNION ALL
  MATCH ()-[s:STEP]->(:WorkNode)
  WHERE s.run_key = $run AND s.status = 'running' AND s.position >= 0
  RETURN min(coalesce(s.lease_end, $clock)) AS at
}
RETURN min(at) AS at
