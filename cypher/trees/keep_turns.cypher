// Keep on tasks how they and all below them stand; one that nobody can hold has lost its lease.
// params: tasks
// returns: kept
// :param {tasks: [{task: "demo/t/a", properties: {turn: "ready", sub_ready: 1}, lost: false}]}
UNWIND $tasks AS one
MATCH (t:Task {key: one.task})
SET t += one.properties,
  t.lease_until = CASE WHEN one.lost THEN coalesce(t.lease_until, 0) ELSE t.lease_until END
RETURN count(t) AS kept
