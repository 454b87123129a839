// Hard edges that are flagged although they close no cycle, as one row.
// params: project, limit
// returns: flagged
// :param {project: "demo", limit: 20}
MATCH (a:WorkNode)-[r:HARD_REQUIRES {project_id: $project, closes_cycle: true}]->(b:WorkNode)
WHERE NOT EXISTS { MATCH shortestPath((b)-[:HARD_REQUIRES*1..]->(a)) }
WITH a, b LIMIT $limit
RETURN collect([a.id, b.id]) AS flagged
