// The clock of a project's leases, and what claims and ends in some runs look at, as one row.
// params: project, runs, steps, ends, first
// returns: wall, offset, graph_seq, runs, steps, after
// :param {project: "demo", runs: ["demo/r1"], steps: [{run: "demo/r1", node: "demo/n1"}], ends: ["demo/n1"], first: 10}
MATCH (p:Project {key: $project})
WITH p, datetime.realtime('Z').epochMillis AS wall
WITH p, wall, coalesce(p.clock_offset, 0) +
  CASE WHEN p.clock_wall > wall THEN p.clock_wall - wall ELSE 0 END AS offset
CALL (wall, offset) {
  UNWIND $runs AS key
  MATCH (r:Run {key: key})
  RETURN collect([r {.id, .goal, .status, .workspace_path, .on_failure, .reason, .cancelled_by,
    .version, .revision, .touched, .layout, .counted_seq, .steps_ready, .steps_running,
    .steps_blocked, .steps_failed, .steps_waiting, created_at: toStringOrNull(r.created_at),
    updated_at: toStringOrNull(r.updated_at), started_at: toStringOrNull(r.started_at),
    finished_at: toStringOrNull(r.finished_at)}, COLLECT {
    MATCH ()-[s:STEP]->(n:WorkNode)
    WHERE s.run_key = key AND s.queue < 1.0e308 AND s.position >= 0
      AND coalesce(s.retry_at, 0) <= wall + offset
      AND n.status IN ['ready', 'completed', 'skipped']
    WITH s, n ORDER BY s.run_key, s.queue, s.position LIMIT $first
    RETURN [r.id, n.id, s {.*, started_at: toStringOrNull(s.started_at),
      finished_at: toStringOrNull(s.finished_at), not_before: toStringOrNull(s.not_before),
      lease_until: toStringOrNull(s.lease_until), heartbeat_at: toStringOrNull(s.heartbeat_at)}]
  }, COLLECT {
    MATCH ()-[s:STEP]->(n:WorkNode)
    WHERE s.run_key = key AND s.status = 'running' AND s.position >= 0
      AND coalesce(s.lease_end, 0) <= wall + offset
    WITH s, n LIMIT 1000
    RETURN [r.id, n.id, s {.*, started_at: toStringOrNull(s.started_at),
      finished_at: toStringOrNull(s.finished_at), not_before: toStringOrNull(s.not_before),
      lease_until: toStringOrNull(s.lease_until), heartbeat_at: toStringOrNull(s.heartbeat_at)}]
  }]) AS runs
}
CALL () {
  UNWIND $steps AS row
  MATCH (n:WorkNode {key: row.node})<-[s:STEP]-(r:Run {key: row.run})
  WITH r, n, s ORDER BY s.position
  RETURN collect([r.id, n.id, s {.*, started_at: toStringOrNull(s.started_at),
    finished_at: toStringOrNull(s.finished_at), not_before: toStringOrNull(s.not_before),
    lease_until: toStringOrNull(s.lease_until), heartbeat_at: toStringOrNull(s.heartbeat_at)}]) AS steps
}
CALL () {
  UNWIND $ends AS key
  MATCH (n:WorkNode {key: key})
  RETURN collect([n.id, COLLECT {
    MATCH (n)-[h:HARD_REQUIRES]->(m:WorkNode)
    RETURN [m.id, m.blocked_by IS NOT NULL, h.satisfied_by, COLLECT {
      MATCH (m)<-[s:STEP]-(q:Run)
      WHERE q.status = 'running' AND s.status IN ['ready', 'blocked']
      RETURN [q.id, m.id, s {.*, started_at: toStringOrNull(s.started_at),
        finished_at: toStringOrNull(s.finished_at), not_before: toStringOrNull(s.not_before),
        lease_until: toStringOrNull(s.lease_until), heartbeat_at: toStringOrNull(s.heartbeat_at)}]
    }]
  }]) AS after
}
RETURN wall, offset, coalesce(p.graph_seq, 0) AS graph_seq, runs, steps, after
