// Everything a plan is made of: the open nodes as columns, edges between them packed, one row.
// params: project
// returns: internal, ids, statuses, kinds, summaries, estimates, has_children, explicit, derived, soft, scores, satisfied
// :param {project: "demo"}
CALL () {
  MATCH (n:WorkNode {project_id: $project})
  WHERE n.status IN ['ready', 'running', 'blocked', 'failed'] AND n.id > ''
  RETURN collect(id(n)) AS internal, collect(n.id) AS ids, collect(n.status) AS statuses,
    collect(coalesce(n.kind, '')) AS kinds, collect(coalesce(n.summary, '')) AS summaries,
    collect(coalesce(n.estimate_minutes, -1.0)) AS estimates,
    collect(EXISTS { (n)<-[:DERIVED_FROM]-(:WorkNode) }) AS has_children
}
CALL () {
  MATCH (n:WorkNode {project_id: $project})
  WHERE n.status IN ['completed', 'skipped'] AND n.id > ''
  RETURN count(n) AS satisfied
}
CALL () {
  MATCH (a:WorkNode {project_id: $project})-[r:HARD_REQUIRES]->(b:WorkNode)
  WHERE a.status IN ['ready', 'running', 'blocked', 'failed'] AND a.id > ''
    AND b.status IN ['ready', 'running', 'blocked', 'failed']
  WITH id(a) * 4294967296 + id(b) AS pair, r.origin = 'derived' AS derived
  RETURN collect(CASE WHEN NOT derived THEN pair END) AS explicit,
    collect(CASE WHEN derived THEN pair END) AS derived
}
CALL () {
  MATCH (a:WorkNode {project_id: $project})-[r:SOFT_SEMANTIC]->(b:WorkNode)
  WHERE a.status IN ['ready', 'running', 'blocked', 'failed'] AND a.id > ''
    AND b.status IN ['ready', 'running', 'blocked', 'failed']
  RETURN collect(id(a) * 4294967296 + id(b)) AS soft, collect(coalesce(r.score, 0.0)) AS scores
}
RETURN internal, ids, statuses, kinds, summaries, estimates, has_children, explicit, derived,
  soft, scores, satisfied
