// Append journal entries and move the project's head to the last of them; the caller holds the lock.
// params: entries, project, seq, head, timestamp, ordinal
// returns: seq
// :param {entries: [], project: "demo", seq: 0, head: "", timestamp: datetime(), ordinal: 0}
MATCH (p:Project {key: $project})
SET p.seq = $seq, p.head = $head, p.journal_at = $timestamp, p.updated_at = $timestamp,
  p.ordinal = $ordinal
FOREACH (row IN $entries |
  CREATE (e:JournalEntry) SET e = row, e.timestamp = datetime(row.timestamp))
RETURN p.seq AS seq
