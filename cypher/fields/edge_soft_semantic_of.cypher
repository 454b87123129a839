// Soft edges seen from one of their nodes.
MATCH (src:WorkNode)-[edge:SOFT_SEMANTIC]-(dst:WorkNode) WHERE src.project_id = $project AND dst.project_id = $project
