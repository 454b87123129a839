// The ids of the nodes this one was broken into, in order.
COLLECT { MATCH (c:WorkNode)-[x:DERIVED_FROM]->(this) WHERE c.project_id = $project RETURN c.id ORDER BY coalesce(x.position, 1000000), c.id }
