// The median minutes that completed steps of each kind took, as one row.
// params: project
// returns: kinds
// :param {project: "demo"}
MATCH (r:Run {project_id: $project})
WHERE r.id > ''
MATCH ()-[s:STEP {run_key: r.key, status: 'completed'}]->(n:WorkNode)
WHERE s.position >= 0 AND s.started_at IS NOT NULL AND s.finished_at IS NOT NULL
WITH n.kind AS kind, percentileCont(duration.inSeconds(s.started_at, s.finished_at).seconds / 60.0, 0.5) AS minutes
RETURN collect([kind, minutes]) AS kinds
