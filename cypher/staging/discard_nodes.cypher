// Delete up to `limit` of a project's staged nodes; 0 when none is left.
// params: project, limit
// returns: deleted
// :param {project: "demo", limit: 1000}
MATCH (n:Staged {project_id: $project})
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
