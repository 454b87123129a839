// What stands after dst (src among it closes a cycle) and before src, each at most `limit` nodes.
// params: src, dst, rank_src, rank_dst, limit
// returns: closes, after, after_ranks, after_limit, before, before_ranks, before_limit
// :param {src: "demo/n1", dst: "demo/n2", rank_src: 0, rank_dst: 0, limit: 100}
CALL () {
  MATCH (a:WorkNode {key: $src})
  MATCH (b:WorkNode {key: $dst})
  MATCH q = (b)-[:HARD_REQUIRES*0..]->(n:WorkNode)
  WHERE all(x IN nodes(q) WHERE x.rank <= $rank_src)
    AND all(r IN relationships(q) WHERE r.closes_cycle IS NULL)
  WITH DISTINCT a, n LIMIT $limit
  WITH a, n, head(COLLECT {
    MATCH (n)-[r:HARD_REQUIRES]->(y:WorkNode)
    WHERE y.rank > $rank_src AND r.closes_cycle IS NULL
    RETURN min(y.rank) }) AS beyond
  RETURN count(CASE WHEN n = a THEN 1 END) > 0 AS closes,
    collect(id(n)) AS after, collect(n.rank) AS after_ranks, min(beyond) AS after_limit
}
CALL () {
  MATCH (a:WorkNode {key: $src})
  MATCH q = (a)<-[:HARD_REQUIRES*0..]-(n:WorkNode)
  WHERE all(x IN nodes(q) WHERE x.rank >= $rank_dst)
    AND all(r IN relationships(q) WHERE r.closes_cycle IS NULL)
  WITH DISTINCT n LIMIT $limit
  WITH n, head(COLLECT {
    MATCH (n)<-[r:HARD_REQUIRES]-(y:WorkNode)
    WHERE y.rank < $rank_dst AND r.closes_cycle IS NULL
    RETURN max(y.rank) }) AS beyond
  RETURN collect(id(n)) AS before, collect(n.rank) AS before_ranks, max(beyond) AS before_limit
}
RETURN closes, after, after_ranks, after_limit, before, before_ranks, before_limit
