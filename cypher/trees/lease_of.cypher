// Until when a task is leased, in milliseconds since 1970, and the token of its holder.
// params: task
// returns: until, token
// :param {task: "demo/t/a"}
MATCH (t:Task {key: $task})
RETURN t.lease_until AS until, t.lease_token AS token
