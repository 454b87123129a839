// The migrations that ran on this database.
// params: none
// returns: name
MATCH (m:Migration)
RETURN m.name AS name
ORDER BY name
