// The relationships that join given pairs of work nodes, as one row.
// params: pairs
// returns: edges
// :param {pairs: [{label: "HARD_REQUIRES", start: "demo/n1", end: "demo/n2", kind: ""}]}
UNWIND $pairs AS row
MATCH (a:WorkNode {key: row.start})-[r:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]->(b:WorkNode {key: row.end})
WHERE type(r) = row.label AND coalesce(r.kind, '') = row.kind
RETURN collect([row.label, a.id, b.id, properties(r)]) AS edges
