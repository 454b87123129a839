// The hash of a project's last journal entry, which tells one state of it from every other.
// params: project
// returns: head
// :param {project: "demo"}
MATCH (p:Project {key: $project})
RETURN p.head AS head
