// One shortest cycle through each flagged edge, as one row.
// params: project, limit
// returns: cycles
// :param {project: "demo", limit: 1000}
MATCH (a:WorkNode)-[x:HARD_REQUIRES {project_id: $project, closes_cycle: true}]->(b:WorkNode)
WITH a, b, x ORDER BY a.id, b.id LIMIT $limit
MATCH q = shortestPath((b)-[:HARD_REQUIRES*1..]->(a))
RETURN collect([[n IN [a] + nodes(q) | n.id],
  [coalesce(x.tags, [])] + [r IN relationships(q) | coalesce(r.tags, [])]]) AS cycles
