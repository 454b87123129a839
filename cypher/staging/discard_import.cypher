// Forget a project's staged import.
// params: project
// returns: deleted
// :param {project: "demo"}
MATCH (i:Import {key: $project})
DELETE i
RETURN count(*) AS deleted
