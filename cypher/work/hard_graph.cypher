// The hard edges of a project as packed internal ids, with every node and its rank: one row.
// params: project
// returns: ids, ranks, explicit, derived, explicit_flagged, derived_flagged
// :param {project: "demo"}
CALL () {
  MATCH (n:WorkNode {project_id: $project})
  WHERE n.id > ''
  RETURN collect(id(n)) AS ids, collect(n.rank) AS ranks
}
CALL () {
  MATCH (a:WorkNode {project_id: $project})-[r:HARD_REQUIRES]->(b:WorkNode)
  WHERE a.id > ''
  WITH id(a) * 4294967296 + id(b) AS pair, r.origin = 'derived' AS derived,
    r.closes_cycle IS NOT NULL AS flagged
  RETURN collect(CASE WHEN NOT derived AND NOT flagged THEN pair END) AS explicit,
    collect(CASE WHEN derived AND NOT flagged THEN pair END) AS derived,
    collect(CASE WHEN NOT derived AND flagged THEN pair END) AS explicit_flagged,
    collect(CASE WHEN derived AND flagged THEN pair END) AS derived_flagged
}
RETURN ids, ranks, explicit, derived, explicit_flagged, derived_flagged
