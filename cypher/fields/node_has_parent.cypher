// Whether a node was broken out of this one.
EXISTS { MATCH (this)-[:DERIVED_FROM]->(p:WorkNode) WHERE p.project_id = $project AND p.id = $value }
