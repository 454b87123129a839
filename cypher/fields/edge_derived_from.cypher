// Decomposition: src is the parent, and the relationship begins at the child.
MATCH (dst:WorkNode)-[edge:DERIVED_FROM]->(src:WorkNode) WHERE src.project_id = $project AND dst.project_id = $project
