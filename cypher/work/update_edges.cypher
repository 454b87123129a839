// Change properties of relationships between work nodes; null takes a property away.
// params: changes
// returns: changed
// :param {changes: [{label: "HARD_REQUIRES", start: "demo/n1", end: "demo/n2", kind: "", properties: {}}]}
UNWIND $changes AS row
MATCH (a:WorkNode {key: row.start})-[r:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]->(b:WorkNode {key: row.end})
WHERE type(r) = row.label AND coalesce(r.kind, '') = row.kind
SET r += row.properties, r.created_at = datetime(r.created_at)
RETURN count(r) AS changed
