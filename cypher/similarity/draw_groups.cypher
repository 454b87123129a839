// Draw what a plan put together: steps of one layer that a soft edge joins, each with its evidence.
// params: run
// returns: layer, a, alike, b, score, evidence
// :param {run: "demo/r1"}
MATCH (r:Run {key: $run})-[s:STEP]->(a:WorkNode)
WITH r, s, a LIMIT 100000
MATCH (a)-[alike:SOFT_SEMANTIC]->(b:WorkNode)<-[t:STEP]-(r)
WHERE s.layer = t.layer
RETURN s.layer + 1 AS layer, a, alike, b, alike.score AS score, alike.evidence AS evidence
ORDER BY layer, score DESC, a.id, b.id LIMIT 100
