// Create runs from whole rows of properties.
// params: runs
// returns: created
// :param {runs: []}
UNWIND $runs AS row
CREATE (r:Run)
SET r = row
RETURN count(r) AS created
