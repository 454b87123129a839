// What every plan is made of: the open nodes by status, edges from them packed, one row.
// params: project
// returns: open, satisfied, hard, soft, scores, estimated, derived, explicit, unmet
// :param {project: "demo"}
CALL () {
  MATCH (n:WorkNode {project_id: $project})
  WHERE n.status IN ['ready', 'running', 'blocked', 'failed'] AND n.id > ''
  WITH n.status AS status, collect(id(n)) AS internal, collect(n.id) AS ids
  RETURN collect([status, internal, ids]) AS open
}
CALL () {
  MATCH (n:WorkNode {project_id: $project})
  WHERE n.status IN ['completed', 'skipped'] AND n.id > ''
  RETURN count(n) AS satisfied
}
CALL () {
  MATCH (a:WorkNode {project_id: $project})-[:HARD_REQUIRES]->(b)
  WHERE a.status IN ['ready', 'running', 'blocked', 'failed'] AND a.id > ''
  RETURN collect(id(a) * 4294967296 + id(b)) AS hard
}
CALL () {
  MATCH (a)-[r:SOFT_SEMANTIC {project_id: $project}]->(b)
  RETURN collect(id(a) * 4294967296 + id(b)) AS soft, collect(coalesce(r.score, 0.0)) AS scores
}
RETURN open, satisfied, hard, soft, scores,
  EXISTS {
    MATCH (n:WorkNode {project_id: $project}) WHERE n.estimate_minutes >= 0
  } AS estimated,
  EXISTS {
    MATCH ()-[r:HARD_REQUIRES {project_id: $project}]->() WHERE r.origin = 'derived'
  } AS derived,
  EXISTS {
    MATCH ()-[r:HARD_REQUIRES {project_id: $project}]->() WHERE r.origin IN ['explicit', 'both']
  } AS explicit,
  EXISTS {
    MATCH (t:Tag {project_id: $project})
    WHERE t.name > '' AND NOT EXISTS { (t)<-[:PRODUCES]-(:WorkNode) }
  } AS unmet
