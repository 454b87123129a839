// A task tree, and what is kept of all its tasks: its root's properties.
// params: tree
// returns: tree, kept
// :param {tree: "demo/t"}
MATCH (w:TaskTree {key: $tree})-[:ROOT]->(r:Task)
RETURN w {.*, added_at: toStringOrNull(w.added_at), created_at: toStringOrNull(w.created_at),
  completed_at: toStringOrNull(w.completed_at)} AS tree, properties(r) AS kept
