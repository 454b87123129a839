// How often imported entries of another tool's journal stand in a project's journal, as one row.
// params: project, originals
// returns: known
// :param {project: "demo", originals: []}
UNWIND $originals AS original
MATCH (e:JournalEntry {project_id: $project, original: original})
WITH original, count(e) AS times
RETURN collect([original, times]) AS known
