// Append journal entries and move the project's head to the last of them; the caller holds the lock.
// params: entries, project, seq, head, timestamp, ordinal, graph_seq
// returns: seq
// :param {entries: [], project: "demo", seq: 0, head: "", timestamp: datetime(), ordinal: 0, graph_seq: null}
MATCH (p:Project {key: $project})
SET p.seq = $seq, p.head = $head, p.journal_at = $timestamp, p.updated_at = $timestamp,
  p.ordinal = $ordinal, p.graph_seq = coalesce($graph_seq, p.graph_seq)
FOREACH (row IN $entries |
  CREATE (e:JournalEntry) SET e = row, e.timestamp = datetime(row.timestamp))
RETURN p.seq AS seq
