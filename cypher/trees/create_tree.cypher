// Create a task tree from a whole row of properties.
// params: properties
// returns: created
// :param {properties: {key: "demo/t", project_id: "demo", id: "t"}}
CREATE (t:TaskTree)
SET t = $properties, t.added_at = datetime(t.added_at), t.created_at = datetime(t.created_at),
  t.completed_at = datetime(t.completed_at)
RETURN count(t) AS created
