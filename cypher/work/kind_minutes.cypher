// The median minutes that completed steps of each kind took, as one row.
// params: project
// returns: kinds
// :param {project: "demo"}
MATCH (:Run)-[s:STEP {status: 'completed', project_id: $project}]->(n:WorkNode)
WHERE s.started_at IS NOT NULL AND s.finished_at IS NOT NULL
WITH n.kind AS kind, percentileCont(duration.inSeconds(s.started_at, s.finished_at).seconds / 60.0, 0.5) AS minutes
RETURN collect([kind, minutes]) AS kinds
