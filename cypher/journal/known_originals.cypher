// Which imported entries of another tool's journal are in a project's journal, as one row.
// params: project, originals
// returns: known
// :param {project: "demo", originals: []}
UNWIND $originals AS original
MATCH (e:JournalEntry {project_id: $project, original: original})
RETURN collect(DISTINCT original) AS known
