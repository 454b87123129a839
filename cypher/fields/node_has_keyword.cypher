// Whether a node has a keyword.
EXISTS { MATCH (this)-[:TAGGED]->(k:Keyword) WHERE k.project_id = $project AND k.name = $value }
