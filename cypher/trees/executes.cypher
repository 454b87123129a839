// The ids of the work nodes that a task tree itself executed, and whether one is stored, as one row.
// params: tree, node
// returns: nodes, known
// :param {tree: "demo/t", node: "demo/n1"}
RETURN COLLECT { MATCH (:TaskTree {key: $tree})-[:EXECUTES]->(n:WorkNode) RETURN n.id ORDER BY n.id }
  AS nodes, EXISTS { MATCH (:WorkNode {key: $node}) } AS known
