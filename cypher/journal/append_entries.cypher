// Append journal entries; the caller holds the project's lock and has moved its head.
// params: entries
// returns: entries
// :param {entries: []}
UNWIND $entries AS row
CREATE (e:JournalEntry)
SET e = row, e.timestamp = datetime(e.timestamp)
RETURN count(e) AS entries
