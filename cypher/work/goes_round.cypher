// Whether any of these hard edges, given by the keys of its ends, is part of a cycle.
// params: pairs
// returns: round
// :param {pairs: [["demo/n1", "demo/n2"]]}
UNWIND $pairs AS pair
MATCH (a:WorkNode {key: pair[0]})
MATCH (b:WorkNode {key: pair[1]})
MATCH q = shortestPath((b)-[:HARD_REQUIRES*1..]->(a))
RETURN count(q) > 0 AS round
