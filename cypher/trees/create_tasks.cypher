// Create tasks from whole rows of properties, each below the task of its `up` or its tree's root.
// params: tree, tasks
// returns: created
// :param {tree: "demo/t", tasks: []}
UNWIND $tasks AS row
CREATE (t:Task)
SET t = row.properties, t.created_at = datetime(t.created_at),
  t.started_at = datetime(t.started_at), t.completed_at = datetime(t.completed_at)
WITH t, row
CALL (t, row) {
  WITH row WHERE row.up IS NOT NULL
  MATCH (p:Task {key: row.up})
  CREATE (p)-[:SPAWNED {position: row.position, project_id: t.project_id}]->(t)
  UNION
  WITH row WHERE row.up IS NULL
  MATCH (w:TaskTree {key: $tree})
  CREATE (w)-[:ROOT {project_id: t.project_id}]->(t)
}
RETURN count(t) AS created
