// What a hard edge or a parent keeps apart of some nodes, from some of them on, as one row.
// params: keys, among
// returns: apart
// :param {keys: ["demo/n1"], among: ["demo/n1", "demo/n2"]}
UNWIND $keys AS key
MATCH (a:WorkNode {key: key})-[r:HARD_REQUIRES|DERIVED_FROM]->(b:WorkNode)
WHERE b.key IN $among
RETURN collect(DISTINCT [a.id, b.id, type(r)]) AS apart
