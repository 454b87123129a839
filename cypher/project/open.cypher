// Let a project be written again that was closed under this token, while its journal was taken over.
// params: project, token
// returns: opened
// :param {project: "demo", token: "t"}
MATCH (p:Project {key: $project})
SET p.locks = 1
WITH p WHERE p.replaying = $token
REMOVE p.removing, p.replaying
RETURN count(p) AS opened
