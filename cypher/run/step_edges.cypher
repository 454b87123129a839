// The hard edges between the open steps of a run, as packed positions in one row.
// params: run
// returns: edges
// :param {run: "demo/r1"}
MATCH (r:Run {key: $run})-[s:STEP]->(n:WorkNode)
WHERE s.status IS NULL OR s.status IN ['ready', 'blocked']
MATCH (n)-[:HARD_REQUIRES]->(m:WorkNode)<-[t:STEP]-(r)
RETURN collect(s.position * 4294967296 + t.position) AS edges
