// The paths that keep a node from starting: from each first cause, the shortest, as one row.
// params: key, limit
// returns: paths
// :param {key: "demo/n1", limit: 20}
MATCH (n:WorkNode {key: $key})
MATCH q = (n)<-[:HARD_REQUIRES*1..]-(m:WorkNode)
WHERE all(x IN nodes(q) WHERE x.key = $key OR NOT x.status IN ['completed', 'skipped'])
WITH DISTINCT n, m
WHERE m <> n AND (m.status = 'failed' OR NOT EXISTS {
  MATCH (m)<-[:HARD_REQUIRES]-(p:WorkNode) WHERE NOT p.status IN ['completed', 'skipped'] })
WITH n, m ORDER BY m.status = 'failed' DESC, m.id LIMIT $limit
MATCH w = shortestPath((m)-[:HARD_REQUIRES*1..]->(n))
WHERE all(x IN nodes(w) WHERE x.key = $key OR NOT x.status IN ['completed', 'skipped'])
RETURN collect([m.id, m.status, [x IN nodes(w) | x.id], [r IN relationships(w) | coalesce(r.tags, [])]]) AS paths
