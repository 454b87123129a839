// Take a project's lock; whether it is closed under this token.
// params: project, token
// returns: closed
// :param {project: "demo", token: "t"}
MATCH (p:Project {key: $project})
SET p.locks = 1
WITH p WHERE p.replaying = $token
RETURN count(p) > 0 AS closed
