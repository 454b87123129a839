// Take an existing project's lock as project/lock does, and read what a task's document says it cost.
// params: project, task
// returns: seq, head, timestamp, ordinal, removing, now, known, cost
// :param {project: "demo", task: "demo/t/a"}
MATCH (p:Project {key: $project})
SET p.locks = 1
WITH p
OPTIONAL MATCH (t:Task {key: $task})
RETURN p.seq AS seq, p.head AS head, p.journal_at AS timestamp, p.ordinal AS ordinal,
  p.removing IS NOT NULL AS removing,
  datetime.truncate('millisecond', datetime.realtime('Z')) AS now,
  t IS NOT NULL AS known, t.cost AS cost
