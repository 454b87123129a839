// The edges among these that are kept as pending, as one row.
// params: keys
// returns: pending
// :param {keys: []}
UNWIND $keys AS key
MATCH (p:PendingEdge {key: key})
RETURN collect(p {.key, .type, .data}) AS pending
