// Replace a task's own properties; the totals kept on it stay.
// params: task, properties, kept
// returns: revision
// :param {task: "demo/t/a", properties: {}, kept: ["key", "project_id", "caption", "sub_tasks"]}
MATCH (t:Task {key: $task})
WITH t, properties(t) AS before
SET t = $properties
FOREACH (name IN $kept | SET t[name] = before[name])
SET t.revision = before.revision + 1, t.created_at = datetime(t.created_at),
  t.started_at = datetime(t.started_at), t.completed_at = datetime(t.completed_at)
RETURN t.revision AS revision
