// Take work nodes from the Tags they name, and delete those that nothing names any more.
// params: keys
// returns: cleared
// :param {keys: []}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})-[r:PRODUCES]->(t:Tag)
DELETE r
WITH DISTINCT t
CALL (t) {
  WITH t WHERE NOT EXISTS { (t)<--() }
  DELETE t
}
RETURN count(*) AS cleared
