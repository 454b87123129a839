// A page of a project's journal, ordered as its index is: none after the entry beyond `bytes`.
// params: project, after, first, bytes
// returns: entries
// :param {project: "demo", after: 0, first: 100, bytes: 262144}
MATCH (e:JournalEntry {project_id: $project})
WHERE e.seq > $after
WITH e ORDER BY e.project_id, e.seq LIMIT $first
WITH collect(e) AS found
WITH found, reduce(taken = [0, 0], e IN found |
  CASE WHEN taken[1] > $bytes THEN taken ELSE [taken[0] + 1, taken[1] + size(e.data)] END)[0] AS count
RETURN [e IN found[..count] | [e.seq, e.event, toString(e.timestamp), e.actor, e.schema_version,
  e.data, e.previous_hash, e.hash]] AS entries
