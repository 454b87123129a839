// A page of those entries of a project's journal that tell of some events, in order, as one row.
// params: project, events, after, first
// returns: entries
// :param {project: "demo", events: ["merge_nodes"], after: 0, first: 20}
MATCH (e:JournalEntry {project_id: $project})
WHERE e.seq > $after AND e.event IN $events
WITH e ORDER BY e.project_id, e.seq LIMIT $first
RETURN collect([e.seq, e.event, toString(e.timestamp), e.actor, e.schema_version, e.data,
  e.previous_hash, e.hash]) AS entries
