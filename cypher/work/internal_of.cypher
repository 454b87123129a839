// Internal ids of work nodes by key, as one row.
// params: keys
// returns: internal
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
RETURN collect([n.id, id(n)]) AS internal
