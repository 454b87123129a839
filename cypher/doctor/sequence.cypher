// What a project says its last seq is, how many entries it has, and those that follow a gap.
// params: project, limit
// returns: seq, entries, after_gaps
// :param {project: "demo", limit: 20}
MATCH (p:Project {key: $project})
RETURN p.seq AS seq,
  COUNT { MATCH (e:JournalEntry {project_id: $project}) WHERE e.seq > 0 } AS entries,
  COLLECT {
    MATCH (e:JournalEntry {project_id: $project})
    WHERE e.seq > 1
      AND NOT EXISTS { MATCH (:JournalEntry {project_id: $project, seq: e.seq - 1}) }
    RETURN e.seq ORDER BY e.seq LIMIT $limit
  } AS after_gaps
