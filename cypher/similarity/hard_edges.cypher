// Every hard edge of a project in columns, as one row.
// params: project
// returns: src, dst, tags
// :param {project: "demo"}
MATCH (a:WorkNode {project_id: $project})-[r:HARD_REQUIRES]->(b:WorkNode)
WHERE a.id > ''
RETURN collect(a.id) AS src, collect(b.id) AS dst, collect(coalesce(r.tags, [])) AS tags
