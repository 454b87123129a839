// Change properties of runs, and set the clock that a project's leases go by.
// params: project, wall, offset, runs
// returns: changed
// :param {project: "demo", wall: 0, offset: 0, runs: [{key: "demo/r1", changes: 1, properties: {status: "running"}}]}
MATCH (p:Project {key: $project})
SET p.clock_wall = $wall, p.clock_offset = $offset
WITH p
UNWIND $runs AS row
MATCH (r:Run {key: row.key})
SET r += row.properties, r.revision = coalesce(r.revision, 1) + row.changes,
  r.created_at = datetime(r.created_at), r.updated_at = datetime(r.updated_at),
  r.started_at = datetime(r.started_at), r.finished_at = datetime(r.finished_at)
RETURN count(r) AS changed
