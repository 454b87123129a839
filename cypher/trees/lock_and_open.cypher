// Take an existing project's lock as project/lock does, and read a tree as trees/opened does.
// params: project, tree
// returns: seq, head, timestamp, ordinal, removing, now, tree, kept
// :param {project: "demo", tree: "demo/t"}
MATCH (p:Project {key: $project})
SET p.locks = 1
WITH p
OPTIONAL MATCH (w:TaskTree {key: $tree})-[:ROOT]->(r:Task)
RETURN p.seq AS seq, p.head AS head, p.journal_at AS timestamp, p.ordinal AS ordinal,
  p.removing IS NOT NULL AS removing,
  datetime.truncate('millisecond', datetime.realtime('Z')) AS now,
  w {.*, added_at: toStringOrNull(w.added_at), created_at: toStringOrNull(w.created_at),
    completed_at: toStringOrNull(w.completed_at)} AS tree, properties(r) AS kept
