// A state by its key, as one row.
// params: key
// returns: state
// :param {key: "demo/state-1"}
MATCH (s:TaskState {key: $key})
RETURN properties(s) AS state
