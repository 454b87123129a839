// The steps that a work node is in runs, each with its run's id and its properties, as one row.
// params: key, limit
// returns: steps
// :param {key: "demo/n1", limit: 100}
MATCH (n:WorkNode {key: $key})<-[s:STEP]-(r:Run)
WITH r, s ORDER BY r.id, s.position LIMIT $limit
RETURN collect([r.id, s {.*}]) AS steps
