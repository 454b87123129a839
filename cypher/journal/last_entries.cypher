// The newest entries of a project's journal, newest first, as one row.
// params: project, first
// returns: entries
// :param {project: "demo", first: 20}
MATCH (e:JournalEntry {project_id: $project})
WHERE e.seq > 0
WITH e ORDER BY e.seq DESC LIMIT $first
RETURN collect(e {.seq, .event, .timestamp, .actor, .schema_version, .data, .previous_hash, .hash}) AS entries
