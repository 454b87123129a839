// How many steps of a run stand where, as JSON text.
'{' + '"ready":' + COUNT {
  MATCH ()-[s:STEP]->(:WorkNode)
  WHERE s.run_key = this.key AND s.status = 'ready' AND s.position >= 0
    AND s.project_id = $project
} + ',' + '"running":' + COUNT {
  MATCH ()-[s:STEP]->(:WorkNode)
  WHERE s.run_key = this.key AND s.status = 'running' AND s.position >= 0
    AND s.project_id = $project
} + ',' + '"completed":' + COUNT {
  MATCH ()-[s:STEP]->(:WorkNode)
  WHERE s.run_key = this.key AND s.status = 'completed' AND s.position >= 0
    AND s.project_id = $project
} + ',' + '"skipped":' + COUNT {
  MATCH ()-[s:STEP]->(:WorkNode)
  WHERE s.run_key = this.key AND s.status = 'skipped' AND s.position >= 0
    AND s.project_id = $project
} + ',' + '"failed":' + COUNT {
  MATCH ()-[s:STEP]->(:WorkNode)
  WHERE s.run_key = this.key AND s.status = 'failed' AND s.position >= 0
    AND s.project_id = $project
} + ',' + '"blocked":' + COUNT {
  MATCH ()-[s:STEP]->(:WorkNode)
  WHERE s.run_key = this.key AND s.status = 'blocked' AND s.position >= 0
    AND s.project_id = $project
} + '}'
