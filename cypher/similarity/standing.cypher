// How far a project's journal goes, and the hash of one of its entries, null where there is none.
// params: project, entry
// returns: seq, head, known
// :param {project: "demo", entry: "demo/12"}
MATCH (p:Project {key: $project})
RETURN p.seq AS seq, p.head AS head,
  head(COLLECT { MATCH (e:JournalEntry {key: $entry}) RETURN e.hash }) AS known
