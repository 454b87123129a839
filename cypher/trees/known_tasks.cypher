// Which of these keys are tasks', as one row.
// params: keys
// returns: known
// :param {keys: ["demo/t/a"]}
UNWIND $keys AS key
MATCH (t:Task {key: key})
RETURN collect(t.id) AS known
