// The hard edges that begin at some work nodes, as one row.
// params: keys
// returns: edges
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (a:WorkNode {key: key})-[:HARD_REQUIRES]->(b:WorkNode)
RETURN collect([a.id, b.id]) AS edges
