// Tags that nodes produce, and tags that nodes require and nobody produces, each with first ids.
// params: project, limit
// returns: produced, unmet
// :param {project: "demo", limit: 5000}
CALL () {
  MATCH (t:Tag {project_id: $project}) WHERE t.name > ''
  MATCH (t)<-[:PRODUCES]-(n:WorkNode)
  WITH t, n ORDER BY n.id
  WITH t.name AS name, collect(n.id)[..10] AS ids ORDER BY name LIMIT $limit
  RETURN collect([name, ids]) AS produced
}
CALL () {
  MATCH (t:Tag {project_id: $project})
  WHERE t.name > '' AND NOT EXISTS { (t)<-[:PRODUCES]-(:WorkNode) }
  MATCH (t)<-[:REQUIRES]-(n:WorkNode)
  WITH t, n ORDER BY n.id
  WITH t.name AS name, collect(n.id)[..10] AS ids ORDER BY name LIMIT $limit
  RETURN collect([name, ids]) AS unmet
}
RETURN produced, unmet
