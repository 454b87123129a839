// Whether a task is staged.
// params: task
// returns: staged
// :param {task: "demo/t/a"}
RETURN EXISTS { MATCH (:Staged {key: $task}) } AS staged
