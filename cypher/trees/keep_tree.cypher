// Keep on a tree how its tasks stand; from then on its queue is kept.
// params: tree, properties
// returns: kept
// :param {tree: "demo/t", properties: {queue: true, kept_completed: 0, kept_failed: 0, kept_depth: 0}}
MATCH (w:TaskTree {key: $tree})
SET w += $properties
RETURN count(w) AS kept
