// Note that a tree is not what its document says any more.
// params: tree
// returns: touched
// :param {tree: "demo/t"}
MATCH (t:TaskTree {key: $tree})
WITH t WHERE t.touched IS NULL
SET t.touched = true, t.revision = t.revision + 1
RETURN count(t) AS touched
