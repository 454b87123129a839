// For each query the nearest of chosen shared vectors, each compared; score is (1 + cosine) / 2.
// params: keys, queries, k
// returns: at, hits
// :param {keys: ["demo/v1"], queries: [[1.0, 0.0]], k: 10}
UNWIND range(0, size($queries) - 1) AS at
CALL (at) {
  UNWIND $keys AS key
  MATCH (v:Vector {key: key})
  WHERE v.embedding IS NOT NULL
  WITH v.id AS id, vector.similarity.cosine(v.embedding, $queries[at]) AS score
  ORDER BY score DESC, id LIMIT $k
  RETURN collect([id, score]) AS hits
}
RETURN at, hits ORDER BY at
