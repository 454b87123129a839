// Join runs to the work nodes that are their steps.
// params: steps
// returns: created
// :param {steps: []}
UNWIND $steps AS row
MATCH (r:Run {key: row.run})
MATCH (n:WorkNode {key: row.node})
CREATE (r)-[s:STEP]->(n)
SET s = row.properties, s.started_at = datetime(s.started_at),
  s.finished_at = datetime(s.finished_at), s.not_before = datetime(s.not_before),
  r.counted_seq = null
RETURN count(s) AS created
