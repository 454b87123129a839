// A page of a project's runs with every property and every relationship out of them: one row.
// params: project, after, first
// returns: page
// :param {project: "demo", after: "", first: 1000}
MATCH (n:Run {project_id: $project})
WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $first
RETURN collect([n.id, n {.*, created_at: toStringOrNull(n.created_at),
  updated_at: toStringOrNull(n.updated_at), started_at: toStringOrNull(n.started_at),
  finished_at: toStringOrNull(n.finished_at)}, COLLECT {
  MATCH (n)-[r]->(m)
  RETURN [type(r), head(labels(m)), coalesce(m.id, m.name), r {.*,
    created_at: toStringOrNull(r.created_at), started_at: toStringOrNull(r.started_at),
    finished_at: toStringOrNull(r.finished_at), not_before: toStringOrNull(r.not_before)}, m.project_id]
}]) AS page
