// Whether any hard edge of a project is flagged as closing a cycle.
// params: project
// returns: flagged
// :param {project: "demo"}
RETURN EXISTS {
  MATCH (:WorkNode)-[r:HARD_REQUIRES {project_id: $project, closes_cycle: true}]->(:WorkNode)
} AS flagged
