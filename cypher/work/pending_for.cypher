// What waits for any of these node ids, as one row.
// params: project, ids
// returns: pending
// :param {project: "demo", ids: ["n1"]}
CALL () {
  UNWIND $ids AS id
  MATCH (p:PendingEdge {project_id: $project, src: id})
  WHERE p.type <> 'step'
  RETURN p
  UNION
  UNWIND $ids AS id
  MATCH (p:PendingEdge {project_id: $project, dst: id})
  RETURN p
}
RETURN collect(p {.key, .type, .data}) AS pending
