// Say that a task tree, or one of its tasks, executed a work node.
// params: tree, task, node, properties
// returns: created
// :param {tree: "demo/t", task: null, node: "demo/n1", properties: {project_id: "demo"}}
MATCH (n:WorkNode {key: $node})
CALL () {
  MATCH (t:TaskTree {key: $tree}) WHERE $task IS NULL RETURN t
  UNION
  MATCH (t:Task {key: $task}) RETURN t
}
MERGE (t)-[r:EXECUTES]->(n)
SET r = $properties
RETURN count(r) AS created
