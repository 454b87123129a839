// For each query the nearest of a project's among the `wide` nearest of all; score is (1 + cosine) / 2.
// params: project, queries, k, wide
// returns: at, hits
// :param {project: "demo", queries: [[1.0, 0.0]], k: 10, wide: 100}
UNWIND range(0, size($queries) - 1) AS at
CALL (at) {
  CALL db.index.vector.queryNodes('vector_embedding', $wide, $queries[at]) YIELD node, score
  WITH node, score
  WHERE node.project_id = $project
  WITH node.id AS id, score ORDER BY score DESC, id LIMIT $k
  RETURN collect([id, score]) AS hits
}
RETURN at, hits ORDER BY at
