// The documents of the states that belong to a tree, the last by id winning, as one row.
// params: project, tree, limit
// returns: documents
// :param {project: "demo", tree: "t", limit: 100}
MATCH (s:TaskState {project_id: $project, tree_id: $tree})
WITH s ORDER BY s.id LIMIT $limit
RETURN collect(s.document) AS documents
