// Note what a project's soft edges were derived from.
// params: project, linked
// returns: linked
// :param {project: "demo", linked: "{}"}
MATCH (p:Project {key: $project})
SET p.soft_linked = $linked
RETURN p.soft_linked AS linked
