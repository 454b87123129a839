// Ready nodes that a failed one holds and nodes held before, each with the nearest failed one: one row.
// params: project
// returns: held, marked
// :param {project: "demo"}
CALL () {
  MATCH (f:WorkNode {project_id: $project, status: 'failed'})
  WHERE f.id > ''
  MATCH q = (f)-[:HARD_REQUIRES*1..]->(n:WorkNode)
  WHERE all(x IN nodes(q) WHERE NOT x.status IN ['completed', 'skipped'])
  WITH n, f.id AS cause, min(length(q)) AS distance
  WHERE n.status = 'ready' OR n.blocked_by IS NOT NULL
  WITH n, cause ORDER BY distance, cause
  WITH n, head(collect(cause)) AS cause ORDER BY n.id
  RETURN collect([n.id, cause, n.blocked_by]) AS held
}
CALL () {
  MATCH (n:WorkNode {project_id: $project, status: 'blocked'})
  WHERE n.id > '' AND n.blocked_by IS NOT NULL
  WITH n ORDER BY n.id
  RETURN collect(n.id) AS marked
}
RETURN held, marked
