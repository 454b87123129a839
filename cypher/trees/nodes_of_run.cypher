// The keys of the work nodes that are steps of a run, at most so many, as one row.
// params: run, limit
// returns: nodes
// :param {run: "demo/run-20250101-000000", limit: 100000}
MATCH (r:Run {key: $run})
RETURN COLLECT { MATCH (r)-[:STEP]->(n:WorkNode) RETURN DISTINCT n.key LIMIT $limit } AS nodes
