// What depends on a node: direct and transitive dependants, sole tags, open runs.
// params: key, limit
// returns: direct, statuses, sole_tags, runs
// :param {key: "demo/n1", limit: 1000}
MATCH (n:WorkNode {key: $key})
CALL (n) {
  MATCH (n)-[:HARD_REQUIRES*1..]->(m:WorkNode)
  WITH DISTINCT m WHERE m.key <> $key
  RETURN collect(m.status) AS statuses
}
RETURN statuses,
  COLLECT { MATCH (n)-[:HARD_REQUIRES]->(m:WorkNode) RETURN m.id ORDER BY m.id LIMIT $limit } AS direct,
  COLLECT {
    MATCH (n)-[:PRODUCES]->(t:Tag)<-[:REQUIRES]-(c:WorkNode)
    WHERE c <> n AND NOT EXISTS { MATCH (o:WorkNode)-[:PRODUCES]->(t) WHERE o <> n }
    RETURN DISTINCT t.name ORDER BY t.name LIMIT $limit
  } AS sole_tags,
  COLLECT {
    MATCH (r:Run)-[:STEP]->(n)
    WHERE r.status IN ['planned', 'running']
    RETURN r.id ORDER BY r.id LIMIT $limit
  } AS runs
