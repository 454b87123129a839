// Runs that are not finished and have a node as a step, as one row.
// params: key, limit
// returns: runs
// :param {key: "demo/n1", limit: 1000}
MATCH (n:WorkNode {key: $key})<-[:STEP]-(r:Run)
WHERE r.status IN ['planned', 'running']
WITH DISTINCT r ORDER BY r.id LIMIT $limit
RETURN collect(r.id) AS runs
