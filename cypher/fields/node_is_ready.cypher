// Whether a node can be claimed: ready, everything it needs done, and running in no run.
this.status = 'ready' AND NOT EXISTS {
  MATCH (this)<-[:HARD_REQUIRES]-(p:WorkNode)
  WHERE p.project_id = $project AND NOT p.status IN ['completed', 'skipped']
} AND NOT EXISTS {
  MATCH (this)<-[s:STEP {status: 'running'}]-(q:Run)
  WHERE q.project_id = $project AND q.status = 'running'
}
