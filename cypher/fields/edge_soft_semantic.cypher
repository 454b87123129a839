// Soft edges, once each, the smaller id first.
MATCH (src:WorkNode)-[edge:SOFT_SEMANTIC]->(dst:WorkNode) WHERE src.project_id = $project AND dst.project_id = $project
