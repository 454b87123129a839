// Which of given pairs of nodes a hard edge or a parent keeps apart, as one row.
// params: pairs
// returns: apart
// :param {pairs: [["demo/n1", "demo/n2"]]}
UNWIND $pairs AS pair
MATCH (a:WorkNode {key: pair[0]})
MATCH (b:WorkNode {key: pair[1]})
MATCH (a)-[r:HARD_REQUIRES|DERIVED_FROM]-(b)
RETURN collect(DISTINCT [a.id, b.id, type(r)]) AS apart
