// What holds for a whole project: whether edges are flagged, nodes failed or held, and the next rank.
// params: project
// returns: flagged, concerned, next_rank
// :param {project: "demo"}
MATCH (p:Project {key: $project})
RETURN EXISTS {
  MATCH (:WorkNode)-[r:HARD_REQUIRES {project_id: $project, closes_cycle: true}]->(:WorkNode)
} AS flagged, EXISTS {
  MATCH (f:WorkNode {project_id: $project, status: 'failed'}) WHERE f.id > ''
} OR EXISTS {
  MATCH (h:WorkNode {project_id: $project, status: 'blocked'})
  WHERE h.id > '' AND h.blocked_by IS NOT NULL
} AS concerned, p.next_rank AS next_rank
