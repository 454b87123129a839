// Shared vectors by key, packed, as one row.
// params: keys
// returns: vectors
// :param {keys: ["demo/v1"]}
UNWIND $keys AS key
MATCH (v:Vector {key: key})
RETURN collect([v.id, v.packed]) AS vectors
