// Every soft edge of a project in columns, and whether this service derived it, as one row.
// params: project, provenance
// returns: src, dst, scores, models, ours
// :param {project: "demo", provenance: "{}"}
MATCH (a:WorkNode)-[r:SOFT_SEMANTIC {project_id: $project}]->(b:WorkNode)
RETURN collect(a.id) AS src, collect(b.id) AS dst, collect(coalesce(r.score, 0.0)) AS scores,
  collect(coalesce(r.model, r.evidence, '')) AS models,
  collect(coalesce(r.provenance = $provenance, false)) AS ours
