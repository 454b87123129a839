// Remember that a migration ran.
// params: name
// returns: name
// :param {name: "0001_work_graph"}
MERGE (m:Migration {name: $name})
ON CREATE SET m.applied_at = datetime(), m.caption = $name
RETURN m.name AS name
