// The keywords of a node, in order.
COLLECT { MATCH (this)-[x:TAGGED]->(k:Keyword) WHERE k.project_id = $project RETURN k.name ORDER BY x.position }
