// Delete work nodes with every relationship they have.
// params: keys
// returns: deleted
// :param {keys: []}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
DETACH DELETE n
RETURN count(*) AS deleted
