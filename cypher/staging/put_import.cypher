// Note how far a project's staged import came.
// params: project, properties
// returns: key
// :param {project: "demo", properties: {nodes: 0, edges: 0}}
MERGE (i:Import {key: $project})
ON CREATE SET i.project_id = $project, i.caption = 'import'
SET i += $properties
RETURN i.key AS key
