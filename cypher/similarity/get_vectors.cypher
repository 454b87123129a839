// Shared vectors by key, packed where they are kept so, as one row.
// params: keys
// returns: vectors
// :param {keys: ["demo/v1"]}
UNWIND $keys AS key
MATCH (v:Vector {key: key})
RETURN collect([v.id, coalesce(v.packed, v.embedding)]) AS vectors
