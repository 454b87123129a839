// What is compared of like nodes to tell which of them stays, as one row.
// params: keys
// returns: rows
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
RETURN collect([n.id, n.summary, n.status, n.created_at.epochMillis]) AS rows
