// Move a project's journal head to the last entry appended.
// params: project, seq, head, timestamp, ordinal
// returns: seq
// :param {project: "demo", seq: 0, head: "", timestamp: datetime(), ordinal: 0}
MATCH (p:Project {key: $project})
SET p.seq = $seq, p.head = $head, p.journal_at = $timestamp, p.updated_at = $timestamp,
  p.ordinal = $ordinal
RETURN p.seq AS seq
