// Create relationships between staged nodes; the label is one of four constants.
// params: edges
// returns: created
// :param {edges: [{label: "HARD_REQUIRES", start: "demo/n1", end: "demo/n2", properties: {}}]}
UNWIND $edges AS row
MATCH (a:Staged {key: row.start})
MATCH (b:Staged {key: row.end})
CREATE (a)-[r:$(row.label)]->(b)
SET r = row.properties, r.created_at = datetime(r.created_at)
RETURN count(r) AS created
