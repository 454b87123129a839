// A node and everything it was broken into, with depth and parent, as one row.
// params: key, limit
// returns: rows
// :param {key: "demo/n1", limit: 10000}
MATCH (root:WorkNode {key: $key})
MATCH q = (root)<-[:DERIVED_FROM*0..]-(n:WorkNode)
WITH n, length(q) AS depth ORDER BY depth, n.id LIMIT $limit
OPTIONAL MATCH (n)-[d:DERIVED_FROM]->(p:WorkNode)
RETURN collect([n.id, depth, p.id, d.position]) AS rows
