// Where the two ends of an edge stand in the stored order.
// params: src, dst
// returns: rank_src, rank_dst
// :param {src: "demo/n1", dst: "demo/n2"}
MATCH (a:WorkNode {key: $src})
MATCH (b:WorkNode {key: $dst})
RETURN a.rank AS rank_src, b.rank AS rank_dst
