// The relationships whose two ends are among given work nodes, at most `limit`, as one row.
// params: keys, limit
// returns: edges
// :param {keys: ["demo/n1", "demo/n2"], limit: 100}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})-[r:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]->(m:WorkNode)
WHERE m.key IN $keys
WITH r, n, m ORDER BY n.id, m.id, type(r), r.kind LIMIT $limit
RETURN collect([type(r), n.id, m.id, properties(r)]) AS edges
