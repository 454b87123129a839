// Whether a node has no parent.
NOT EXISTS { MATCH (this)-[:DERIVED_FROM]->(p:WorkNode) WHERE p.project_id = $project }
