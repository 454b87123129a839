// Give relationships that somebody made by hand the bookkeeping that every other one has.
// params: project, pairs, now
// returns: mended
// :param {project: "demo", pairs: [{label: "RELATED", start: "demo/n1", end: "demo/n2", kind: "x"}], now: datetime()}
UNWIND $pairs AS row
MATCH (a:WorkNode {key: row.start})-[r:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]->(b:WorkNode {key: row.end})
WHERE type(r) = row.label AND coalesce(r.kind, '') = row.kind
SET r.project_id = $project, r.version = coalesce(r.version, 1),
  r.created_at = coalesce(r.created_at, $now)
FOREACH (hard IN CASE WHEN row.label = 'HARD_REQUIRES' THEN [r] ELSE [] END |
  SET hard.origin = coalesce(hard.origin, 'explicit'))
WITH row, collect(r) AS alike
FOREACH (again IN tail(alike) | DELETE again)
RETURN count(*) AS mended
