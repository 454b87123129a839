// What a project's soft edges were last derived from, and its settings.
// params: project
// returns: linked, settings
// :param {project: "demo"}
MATCH (p:Project {key: $project})
RETURN p.soft_linked AS linked, p.settings AS settings
