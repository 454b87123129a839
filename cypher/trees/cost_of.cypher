// What a task's document says of its own tokens and money, as JSON; no row without such a task.
// params: task
// returns: cost
// :param {task: "demo/t/a"}
MATCH (t:Task {key: $task})
RETURN t.cost AS cost
