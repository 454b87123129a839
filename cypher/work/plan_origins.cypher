// The hard edges from open nodes that come from tags alone, packed, one row.
// params: project
// returns: derived
// :param {project: "demo"}
MATCH (a:WorkNode {project_id: $project})-[r:HARD_REQUIRES]->(b)
WHERE a.status IN ['ready', 'running', 'blocked', 'failed'] AND a.id > ''
RETURN collect(CASE WHEN r.origin = 'derived' THEN id(a) * 4294967296 + id(b) END) AS derived
