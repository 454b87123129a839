// A task tree, its root's key, and what is kept of all its tasks: sums, and how many stand where.
// params: tree
// returns: tree, root, kept
// :param {tree: "demo/t"}
MATCH (w:TaskTree {key: $tree})-[:ROOT]->(r:Task)
RETURN w {.*, added_at: toStringOrNull(w.added_at), created_at: toStringOrNull(w.created_at),
  completed_at: toStringOrNull(w.completed_at)} AS tree, r.key AS root,
  properties(r) AS kept
