// The ids of work nodes by their internal ids, as one row.
// params: internal
// returns: names
// :param {internal: [0]}
UNWIND $internal AS i
MATCH (n:WorkNode) WHERE id(n) = i
RETURN collect([i, n.id]) AS names
