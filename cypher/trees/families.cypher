// Tasks, each before its children in their order, with what decides whose turn it is: one row.
// params: parents
// returns: families
// :param {parents: ["demo/t/a"]}
UNWIND $parents AS key
MATCH (p:Task {key: key})
RETURN collect([[p.id, p.status, p.result_status, p.decomposition_strategy, p.turn, null],
  COLLECT { MATCH (p)-[s:SPAWNED]->(t:Task)
    RETURN [t.id, t.status, t.result_status, null, t.turn,
      CASE t.status WHEN 'pending' THEN t.context END] ORDER BY s.position }]) AS families
