// Every node that stands after a node along hard edges, nearest first, with its distance: one row.
// params: key, first, after_distance, after_id
// returns: found
// :param {key: "demo/n1", first: 50, after_distance: 0, after_id: ""}
MATCH (n:WorkNode {key: $key})
MATCH q = (n)-[:HARD_REQUIRES*1..]->(m:WorkNode)
WITH m, min(length(q)) AS distance
WHERE m.key <> $key
  AND (distance > $after_distance OR (distance = $after_distance AND m.id > $after_id))
WITH m, distance ORDER BY distance, m.id LIMIT $first
RETURN collect([m.id, distance]) AS found
