// Change properties of work nodes and count their revision up; null takes a property away.
// params: changes
// returns: changed
// :param {changes: [{key: "demo/n1", properties: {summary: "new"}}]}
UNWIND $changes AS row
MATCH (n:WorkNode {key: row.key})
SET n += row.properties, n.revision = n.revision + 1,
  n.created_at = datetime(n.created_at), n.updated_at = datetime(n.updated_at)
RETURN count(n) AS changed
