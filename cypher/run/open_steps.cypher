// The steps of a run that are not started, with how their nodes stand, as columns in one row.
// params: project, run, id
// returns: columns, counts
// :param {project: "demo", run: "demo/r1", id: "r1"}
MATCH (r:Run {key: $run})
CALL (r) {
  MATCH (r)-[s:STEP]->(n:WorkNode)
  WHERE s.status IS NULL OR s.status IN ['ready', 'blocked']
  WITH s, n, COUNT {
    MATCH (n)<-[h:HARD_REQUIRES]-(b:WorkNode)
    WHERE NOT (b.status = 'completed'
      OR (b.status = 'skipped' AND coalesce(h.satisfied_by, 'COMPLETED') <> 'SUCCESS'))
  } AS waits
  ORDER BY s.position
  RETURN [collect(n.id), collect(s.position), collect(coalesce(s.status, 'ready')),
    collect([s.reason]), collect(n.status), collect(coalesce(n.blocked_by, '')),
    collect(waits), collect([s.waits]), collect([s.priority]), collect([s.queue]),
    collect([n.estimate_minutes])] AS columns
}
CALL (r) {
  MATCH (r)-[s:STEP]->(:WorkNode)
  WHERE NOT s.status IN ['ready', 'blocked']
  WITH s.status AS status, count(s) AS steps
  RETURN collect([status, steps]) AS known
}
CALL () {
  MATCH (w:PendingEdge {project_id: $project, src: $id})
  WHERE w.type = 'step'
  RETURN count(w) AS waiting
}
RETURN columns, known + [['waiting', waiting]] AS counts
