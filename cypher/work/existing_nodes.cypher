// Which of these keys are stored, as one row.
// params: keys
// returns: ids
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
RETURN collect(n.id) AS ids
