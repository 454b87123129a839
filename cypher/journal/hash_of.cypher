// The hash of a journal entry, or no row where there is no such entry.
// params: key
// returns: hash
// :param {key: "demo/1"}
MATCH (e:JournalEntry {key: $key})
RETURN e.hash AS hash
