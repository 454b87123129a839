// What tells which of two like nodes stays, and whether a task tree or the like hangs on it, a row.
// params: keys
// returns: rows
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
RETURN collect([
  n.id, n.summary, n.status, n.created_at.epochMillis,
  EXISTS { MATCH (n)--(x) WHERE NOT (x:WorkNode OR x:Run OR x:Tag OR x:Keyword) }
]) AS rows
