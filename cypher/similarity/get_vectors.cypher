// Shared vectors by key, as one row.
// params: keys
// returns: vectors
// :param {keys: ["demo/v1"]}
UNWIND $keys AS key
MATCH (v:Vector {key: key})
RETURN collect([v.id, v.embedding]) AS vectors
