// What a project's shared vectors are, and the journal entry they follow.
// params: project
// returns: model, revision, pooling, dimension, seq, hash
// :param {project: "demo"}
MATCH (c:VectorCollection {key: $project})
RETURN c.model AS model, c.revision AS revision, c.pooling AS pooling, c.dimension AS dimension,
  c.seq AS seq, c.hash AS hash
