// For each query the nearest of a project's shared vectors, each compared; score is (1 + cosine) / 2.
// params: project, queries, k
// returns: at, hits
// :param {project: "demo", queries: [[1.0, 0.0]], k: 10}
UNWIND range(0, size($queries) - 1) AS at
CALL (at) {
  MATCH (v:Vector {project_id: $project})
  WHERE v.id > '' AND v.embedding IS NOT NULL
  WITH v.id AS id, vector.similarity.cosine(v.embedding, $queries[at]) AS score
  ORDER BY score DESC, id LIMIT $k
  RETURN collect([id, score]) AS hits
}
RETURN at, hits ORDER BY at
