// A page of a tree's tasks by id, each with its parent, its place and its documents, as one row.
// params: project, tree, after, first
// returns: page
// :param {project: "demo", tree: "t", after: "", first: 1000}
MATCH (t:Task {project_id: $project, tree_id: $tree})
WHERE t.id > $after
WITH t ORDER BY t.id LIMIT $first
RETURN collect([t {.*, created_at: toStringOrNull(t.created_at),
  started_at: toStringOrNull(t.started_at), completed_at: toStringOrNull(t.completed_at)},
  head(COLLECT { MATCH (p:Task)-[s:SPAWNED]->(t) RETURN [p.id, s.position] LIMIT 1 }),
  COLLECT { MATCH (t)-[r:READ]->(d:Document) RETURN [d.id, d.source, properties(r)]
    ORDER BY r.position }]) AS page
