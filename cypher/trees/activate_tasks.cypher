// Make staged nodes tasks; the one of the `root` key is joined to its tree.
// params: keys, tree, root
// returns: activated
// :param {keys: [], tree: "demo/t", root: "demo/t/a"}
UNWIND $keys AS key
MATCH (t:Staged {key: key})
SET t:Task
REMOVE t:Staged
WITH t
CALL (t) {
  WITH t WHERE t.key = $root
  MATCH (w:TaskTree {key: $tree})
  CREATE (w)-[:ROOT {project_id: t.project_id}]->(t)
}
RETURN count(t) AS activated
