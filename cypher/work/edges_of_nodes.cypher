// Every relationship between work nodes that touches the given ones, as one row.
// params: keys, limit
// returns: edges
// :param {keys: ["demo/n1"], limit: 100}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})-[r:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]-(:WorkNode)
WITH DISTINCT r LIMIT $limit
RETURN collect([type(r), startNode(r).id, endNode(r).id, properties(r)]) AS edges
