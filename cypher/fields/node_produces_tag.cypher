// Whether a node produces a tag.
EXISTS { MATCH (this)-[:PRODUCES]->(t:Tag) WHERE t.project_id = $project AND t.name = $value }
