// The key of a tree's root task and the stated totals that its tasks do not give.
// params: tree
// returns: root, stated
// :param {tree: "demo/t"}
MATCH (w:TaskTree {key: $tree})-[:ROOT]->(r:Task)
RETURN r.key AS root, coalesce(w.stated, []) AS stated
