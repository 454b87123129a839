// Whether a node requires a tag.
EXISTS { MATCH (this)-[:REQUIRES]->(t:Tag) WHERE t.project_id = $project AND t.name = $value }
