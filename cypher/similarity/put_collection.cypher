// Begin a project's shared vectors, or say anew what they are.
// params: project, properties
// returns: key
// :param {project: "demo", properties: {model: "m", revision: "r", pooling: "mean", dimension: 384, seq: 0, hash: ""}}
MERGE (c:VectorCollection {key: $project})
SET c = $properties, c.key = $project, c.project_id = $project
RETURN c.key AS key
