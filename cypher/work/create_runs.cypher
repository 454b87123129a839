// Create runs from whole rows of properties.
// params: runs
// returns: created
// :param {runs: []}
UNWIND $runs AS row
CREATE (r:Run)
SET r = row, r.created_at = datetime(r.created_at), r.updated_at = datetime(r.updated_at),
  r.started_at = datetime(r.started_at), r.finished_at = datetime(r.finished_at)
RETURN count(r) AS created
