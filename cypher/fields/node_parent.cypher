// The id of the node this one was broken out of.
head(COLLECT { MATCH (this)-[:DERIVED_FROM]->(p:WorkNode) WHERE p.project_id = $project RETURN p.id LIMIT 1 })
