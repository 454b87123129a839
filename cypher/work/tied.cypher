// Which of given nodes hang together with more than the work graph, such as a task tree, one row.
// params: keys
// returns: ids
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
WHERE EXISTS { MATCH (n)--(x) WHERE NOT (x:WorkNode OR x:Run OR x:Tag OR x:Keyword) }
RETURN collect(n.id) AS ids
