// The work nodes that a tree, or some of its tasks, executed: pairs of task id or null, and node id.
// params: tree, tasks, limit
// returns: executed
// :param {tree: "demo/t", tasks: ["demo/t/a"], limit: 100}
CALL () {
  MATCH (:TaskTree {key: $tree})-[:EXECUTES]->(n:WorkNode) RETURN null AS task, n.id AS node
  UNION
  UNWIND $tasks AS key
  MATCH (t:Task {key: key})-[:EXECUTES]->(n:WorkNode) RETURN t.id AS task, n.id AS node
}
WITH task, node ORDER BY task IS NOT NULL, task, node LIMIT $limit
RETURN collect([task, node]) AS executed
