// Change properties of steps; null takes a property away.
// params: steps
// returns: changed
// :param {steps: [{run: "demo/r1", node: "demo/n1", position: 0, properties: {status: "running"}}]}
UNWIND $steps AS row
MATCH (n:WorkNode {key: row.node})<-[s:STEP {position: row.position}]-(r:Run {key: row.run})
SET s += row.properties, s.started_at = datetime(s.started_at),
  s.finished_at = datetime(s.finished_at), s.not_before = datetime(s.not_before),
  s.lease_until = datetime(s.lease_until), s.heartbeat_at = datetime(s.heartbeat_at)
RETURN count(s) AS changed
