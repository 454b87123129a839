// Delete relationships between work nodes.
// params: pairs
// returns: deleted
// :param {pairs: [{label: "HARD_REQUIRES", start: "demo/n1", end: "demo/n2", kind: ""}]}
UNWIND $pairs AS row
MATCH (a:WorkNode {key: row.start})-[r:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]->(b:WorkNode {key: row.end})
WHERE type(r) = row.label AND coalesce(r.kind, '') = row.kind
DELETE r
RETURN count(*) AS deleted
