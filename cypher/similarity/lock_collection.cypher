// Take the lock of a project's shared vectors; they will change, and follow the journal further.
// params: project, seq, hash
// returns: model, revision, pooling, dimension
// :param {project: "demo", seq: 0, hash: ""}
MATCH (c:VectorCollection {key: $project})
SET c.locks = coalesce(c.locks, 0) + 1, c.note = null
SET c.hash = CASE WHEN $seq > c.seq THEN $hash ELSE c.hash END,
  c.seq = CASE WHEN $seq > c.seq THEN $seq ELSE c.seq END
RETURN c.model AS model, c.revision AS revision, c.pooling AS pooling, c.dimension AS dimension
