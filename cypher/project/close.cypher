// Close a project for writers while a journal is taken over; the token tells by whom.
// params: project, token
// returns: closed
// :param {project: "demo", token: "t"}
MATCH (p:Project {key: $project})
SET p.removing = true, p.replaying = $token
RETURN count(p) AS closed
