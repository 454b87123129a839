// Forget that a project has shared vectors; they themselves go by clear_vectors.
// params: project
// returns: dropped
// :param {project: "demo"}
MATCH (c:VectorCollection {key: $project})
DELETE c
RETURN count(*) AS dropped
