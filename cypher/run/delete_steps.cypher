// Take steps out of a run, which is looked at anew before its next claim.
// params: run, steps
// returns: deleted
// :param {run: "demo/r1", steps: [{node: "demo/n1", position: 0}]}
MATCH (r:Run {key: $run})
SET r.counted_seq = null
WITH r
UNWIND $steps AS row
MATCH (n:WorkNode {key: row.node})<-[s:STEP {position: row.position}]-(r)
DELETE s
RETURN count(s) AS deleted
