// Runs by key, as one row.
// params: keys
// returns: runs
// :param {keys: ["demo/run-20250127-103000"]}
UNWIND $keys AS key
MATCH (r:Run {key: key})
RETURN collect(r {.*}) AS runs
