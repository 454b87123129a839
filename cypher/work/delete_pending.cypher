// Forget pending edges and steps.
// params: keys
// returns: deleted
// :param {keys: []}
UNWIND $keys AS key
MATCH (p:PendingEdge {key: key})
DELETE p
RETURN count(*) AS deleted
