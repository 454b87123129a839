// What was noted beside a project's shared vectors since they changed last, or null.
// params: project
// returns: note
// :param {project: "demo"}
MATCH (c:VectorCollection {key: $project})
RETURN c.note AS note
