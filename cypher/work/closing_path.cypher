// The path from dst to src that an edge src -> dst would close, searched only among lower ranks.
// params: src, dst, rank_src
// returns: path, tags
// :param {src: "demo/n1", dst: "demo/n2", rank_src: 0}
MATCH (a:WorkNode {key: $src})
MATCH (b:WorkNode {key: $dst})
MATCH q = shortestPath((b)-[:HARD_REQUIRES*1..]->(a))
WHERE all(n IN nodes(q) WHERE n.rank <= $rank_src)
  AND all(r IN relationships(q) WHERE r.closes_cycle IS NULL)
RETURN [n IN nodes(q) | n.id] AS path, [r IN relationships(q) | coalesce(r.tags, [])] AS tags
