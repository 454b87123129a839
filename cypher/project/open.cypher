// Let a project be written again that was closed while its journal was taken over.
// params: project
// returns: opened
// :param {project: "demo"}
MATCH (p:Project {key: $project})
SET p.locks = coalesce(p.locks, 0) + 1
REMOVE p.removing
RETURN count(p) AS opened
