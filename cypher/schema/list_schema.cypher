// Every index and constraint by name; lookup indexes are Neo4j's own.
// params: none
// returns: name, ours
SHOW INDEXES YIELD name, type
RETURN name, type <> 'LOOKUP' AS ours
