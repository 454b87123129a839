// Delete shared vectors.
// params: keys
// returns: deleted
// :param {keys: ["demo/v1"]}
UNWIND $keys AS key
MATCH (v:Vector {key: key})
DELETE v
RETURN count(*) AS deleted
