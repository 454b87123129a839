// Ids of the nodes that words fit best, best first, as one row; null asks nothing.
// params: project, words, statuses, kind, tag, limit
// returns: ids
// :param {project: "demo", words: "migration", statuses: null, kind: null, tag: null, limit: 10}
CALL db.index.fulltext.queryNodes('work_node_text', $words) YIELD node AS n, score
WITH n, score
WHERE n.project_id = $project
  AND ($statuses IS NULL OR n.status IN $statuses) AND ($kind IS NULL OR n.kind = $kind)
  AND ($tag IS NULL OR EXISTS { MATCH (n)-[:TAGGED]->(k:Keyword) WHERE k.name = $tag })
WITH n.id AS id, score LIMIT $limit
WITH id, score ORDER BY score DESC, id
RETURN collect(id) AS ids
