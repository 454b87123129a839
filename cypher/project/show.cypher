// A project with the counts of what it holds.
// params: project
// returns: project
// :param {project: "demo"}
MATCH (p:Project {key: $project})
RETURN p {.id, .seq, .settings, .created_at, .updated_at,
  nodes: COUNT { MATCH (n:WorkNode {project_id: $project}) WHERE n.id > '' },
  edges: COUNT {
    MATCH (n:WorkNode {project_id: $project})-[:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]->(:WorkNode)
    WHERE n.id > '' },
  runs: COUNT { MATCH (r:Run {project_id: $project}) WHERE r.id > '' },
  trees: COUNT { MATCH (t:TaskTree {project_id: $project}) WHERE t.id > '' },
  pending: COUNT { MATCH (e:PendingEdge {project_id: $project}) WHERE e.src > '' },
  unfinished_import: head(COLLECT {
    MATCH (i:Import {key: $project}) RETURN i.nodes + i.edges })} AS project
