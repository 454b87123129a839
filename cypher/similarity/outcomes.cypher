// What the last completed steps of given nodes brought, as one row; a node without one is left out.
// params: keys
// returns: outcomes
// :param {keys: ["demo/n1"]}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
WITH n.id AS id, head(COLLECT {
  MATCH (:Run)-[s:STEP]->(n) WHERE s.status = 'completed'
  RETURN [s.artifacts, s.outputs] ORDER BY s.finished_at DESC LIMIT 1
}) AS brought
WHERE brought IS NOT NULL
RETURN collect([id, brought[0], brought[1]]) AS outcomes
