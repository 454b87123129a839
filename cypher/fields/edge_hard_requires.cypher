// Hard edges: src is done before dst.
MATCH (src:WorkNode)-[edge:HARD_REQUIRES]->(dst:WorkNode) WHERE src.project_id = $project AND dst.project_id = $project
