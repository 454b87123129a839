// Keep edges and steps whose node is not stored yet.
// params: pending
// returns: kept
// :param {pending: [{key: "demo/x", properties: {project_id: "demo", src: "a", dst: "b"}}]}
UNWIND $pending AS row
MERGE (p:PendingEdge {key: row.key})
SET p += row.properties
RETURN count(p) AS kept
