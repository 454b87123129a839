// Delete a project that holds nothing any more.
// params: project
// returns: removed
// :param {project: "demo"}
MATCH (p:Project {key: $project})
DELETE p
RETURN count(*) AS removed
