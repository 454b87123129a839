// Ids of the nodes of some statuses, of a kind, with a keyword, as one row; null asks nothing.
// params: project, statuses, kind, tag
// returns: ids
// :param {project: "demo", statuses: ["ready"], kind: null, tag: "neo4j"}
MATCH (n:WorkNode {project_id: $project})
WHERE n.id > '' AND ($statuses IS NULL OR n.status IN $statuses) AND ($kind IS NULL OR n.kind = $kind)
  AND ($tag IS NULL OR EXISTS { MATCH (n)-[:TAGGED]->(k:Keyword) WHERE k.name = $tag })
RETURN collect(n.id) AS ids
