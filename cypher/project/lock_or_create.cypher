// Take a project's lock, creating the project where there is none, and read its journal's head.
// params: project
// returns: seq, head, timestamp, ordinal, removing, now
// :param {project: "demo"}
MERGE (p:Project {key: $project})
ON CREATE SET p.id = $project, p.project_id = $project, p.caption = $project, p.seq = 0,
  p.head = '0000000000000000000000000000000000000000000000000000000000000000',
  p.next_rank = 4294967296, p.ordinal = 0, p.created_at = datetime()
SET p.locks = 1
RETURN p.seq AS seq, p.head AS head, p.journal_at AS timestamp, p.ordinal AS ordinal,
  p.removing IS NOT NULL AS removing,
  datetime.truncate('millisecond', datetime.realtime('Z')) AS now
