// The soft edges of given nodes in columns, and whether this service derived them, as one row.
// params: keys, provenance
// returns: src, dst, scores, models, ours
// :param {keys: ["demo/n1"], provenance: "{}"}
UNWIND $keys AS key
MATCH (:WorkNode {key: key})-[r:SOFT_SEMANTIC]-(:WorkNode)
WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b
RETURN collect(a.id) AS src, collect(b.id) AS dst, collect(coalesce(r.score, 0.0)) AS scores,
  collect(coalesce(r.model, r.evidence, '')) AS models,
  collect(coalesce(r.provenance = $provenance, false)) AS ours
