// The tags a node requires, in order.
COLLECT { MATCH (this)-[x:REQUIRES]->(t:Tag) WHERE t.project_id = $project RETURN t.name ORDER BY x.position }
