// Task trees by key, as one row.
// params: keys
// returns: trees
// :param {keys: ["demo/tree-12345678"]}
UNWIND $keys AS key
MATCH (t:TaskTree {key: key})
RETURN collect(t {.*, added_at: toStringOrNull(t.added_at), created_at: toStringOrNull(t.created_at),
  completed_at: toStringOrNull(t.completed_at)}) AS trees
