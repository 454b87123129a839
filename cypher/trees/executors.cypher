// The keys of the tasks that executed work nodes, without those below another such task: one row.
// params: nodes
// returns: tasks
// :param {nodes: ["demo/n1"]}
UNWIND $nodes AS node
MATCH (n:WorkNode {key: node})
CALL (n) {
  MATCH (n)<-[:EXECUTES]-(t:Task) RETURN t
  UNION
  MATCH (n)<-[:EXECUTES]-(:TaskTree)-[:ROOT]->(t:Task) RETURN t
}
WITH collect(DISTINCT t) AS found
UNWIND found AS t
WITH found, t WHERE NOT EXISTS { MATCH (t)<-[:SPAWNED*1..]-(a:Task) WHERE a IN found }
RETURN collect(t.key) AS tasks
