// The tags a node produces, in order.
COLLECT { MATCH (this)-[x:PRODUCES]->(t:Tag) WHERE t.project_id = $project RETURN t.name ORDER BY x.position }
