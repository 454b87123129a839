// Keep a project's settings.
// params: project, settings
// returns: id
// :param {project: "demo", settings: "{}"}
MATCH (p:Project {key: $project})
SET p.settings = $settings
RETURN p.id AS id
