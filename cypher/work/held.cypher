// The open nodes of a project that has failed or held ones, with their hard edges: one row; else none.
// params: project
// returns: internal, ids, statuses, marks, edges
// :param {project: "demo"}
WITH EXISTS {
  MATCH (f:WorkNode {project_id: $project, status: 'failed'}) WHERE f.id > ''
} OR EXISTS {
  MATCH (h:WorkNode {project_id: $project, status: 'blocked'})
  WHERE h.id > '' AND h.blocked_by IS NOT NULL
} AS concerned
WHERE concerned
CALL () {
  MATCH (n:WorkNode {project_id: $project})
  WHERE n.status IN ['ready', 'running', 'blocked', 'failed'] AND n.id > ''
  RETURN collect(id(n)) AS internal, collect(n.id) AS ids, collect(n.status) AS statuses,
    collect(coalesce(n.blocked_by, '')) AS marks
}
CALL () {
  MATCH (a:WorkNode {project_id: $project})-[:HARD_REQUIRES]->(b:WorkNode)
  WHERE a.status IN ['ready', 'running', 'blocked', 'failed'] AND a.id > ''
    AND b.status IN ['ready', 'running', 'blocked', 'failed']
  RETURN collect(id(a) * 4294967296 + id(b)) AS edges
}
RETURN internal, ids, statuses, marks, edges
