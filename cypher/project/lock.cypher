// Take an existing project's lock and read its journal's head; no row where there is no project.
// params: project
// returns: seq, head, timestamp, ordinal, removing, now
// :param {project: "demo"}
MATCH (p:Project {key: $project})
SET p.locks = 1
RETURN p.seq AS seq, p.head AS head, p.journal_at AS timestamp, p.ordinal AS ordinal,
  p.removing IS NOT NULL AS removing,
  datetime.truncate('millisecond', datetime.realtime('Z')) AS now
