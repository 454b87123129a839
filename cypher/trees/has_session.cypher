// Whether a project has a task tree of a session.
// params: project, session
// returns: known
// :param {project: "demo", session: "s"}
RETURN EXISTS { MATCH (t:TaskTree {project_id: $project, session_id: $session}) WHERE t.id > '' } AS known
