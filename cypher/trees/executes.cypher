// The ids of the work nodes that a task tree itself, or a task, executed, and whether one is stored.
// params: tree, task, node
// returns: nodes, known
// :param {tree: "demo/t", task: null, node: "demo/n1"}
RETURN CASE WHEN $task IS NULL
    THEN COLLECT { MATCH (:TaskTree {key: $tree})-[:EXECUTES]->(n:WorkNode) RETURN n.id ORDER BY n.id }
    ELSE COLLECT { MATCH (:Task {key: $task})-[:EXECUTES]->(n:WorkNode) RETURN n.id ORDER BY n.id }
  END AS nodes, EXISTS { MATCH (:WorkNode {key: $node}) } AS known
