// Edges of other tools' own kinds.
MATCH (src:WorkNode)-[edge:RELATED]->(dst:WorkNode) WHERE src.project_id = $project AND dst.project_id = $project
