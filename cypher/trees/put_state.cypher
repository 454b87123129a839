// Keep the variables of a state document in place of what it said before.
// params: key, properties
// returns: stored
// :param {key: "demo/state-1", properties: {key: "demo/state-1", project_id: "demo"}}
MERGE (s:TaskState {key: $key})
SET s = $properties
RETURN count(s) AS stored
