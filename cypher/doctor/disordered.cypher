// Unflagged hard edges that the stored ranks do not put in order, as one row.
// params: project, limit
// returns: disordered
// :param {project: "demo", limit: 20}
MATCH (a:WorkNode {project_id: $project})-[r:HARD_REQUIRES]->(b:WorkNode)
WHERE a.id IS NOT NULL AND r.closes_cycle IS NULL AND coalesce(a.rank >= b.rank, true)
WITH a, b LIMIT $limit
RETURN collect([a.id, b.id]) AS disordered
