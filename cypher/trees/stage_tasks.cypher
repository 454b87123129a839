// Create tasks as staged nodes that no query knows yet, each below the staged one of its `up`.
// params: tasks
// returns: created
// :param {tasks: []}
UNWIND $tasks AS row
CREATE (t:Staged)
SET t = row.properties, t.created_at = datetime(t.created_at),
  t.started_at = datetime(t.started_at), t.completed_at = datetime(t.completed_at)
WITH t, row
CALL (t, row) {
  WITH row WHERE row.up IS NOT NULL
  MATCH (p:Staged {key: row.up})
  CREATE (p)-[:SPAWNED {position: row.position, project_id: t.project_id}]->(t)
}
RETURN count(t) AS created
