// Every (child, parent) pair from the given work nodes up to their roots, as one row.
// params: keys
// returns: pairs
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (:WorkNode {key: key})-[:DERIVED_FROM*0..]->(c:WorkNode)-[:DERIVED_FROM]->(p:WorkNode)
WITH DISTINCT c, p
RETURN collect([c.id, p.id]) AS pairs
