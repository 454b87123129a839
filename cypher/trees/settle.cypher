// Give tasks their turns, and count the difference on them, on all above, and on their tree.
// params: tree, tasks, completed, failed, deepest
// returns: settled
// :param {tree: "demo/t", tasks: [{task: "demo/t/a", turn: "ready"}], completed: 0, failed: 0, deepest: 0}
CALL () {
  UNWIND $tasks AS one
  MATCH (t:Task {key: one.task})
  WITH t, one.turn AS turn, coalesce(t.turn, '') AS before
  SET t.turn = turn
  WITH t, before, coalesce(turn, '') AS after
  MATCH (t)<-[:SPAWNED*0..]-(a:Task)
  WITH a,
    sum(CASE after WHEN 'ready' THEN 1 ELSE 0 END - CASE before WHEN 'ready' THEN 1 ELSE 0 END) AS ready,
    sum(CASE after WHEN 'waiting' THEN 1 ELSE 0 END - CASE before WHEN 'waiting' THEN 1 ELSE 0 END) AS waiting,
    sum(CASE after WHEN 'running' THEN 1 ELSE 0 END - CASE before WHEN 'running' THEN 1 ELSE 0 END) AS running
  SET a.sub_ready = coalesce(a.sub_ready, 0) + ready,
    a.sub_waiting = coalesce(a.sub_waiting, 0) + waiting,
    a.sub_running = coalesce(a.sub_running, 0) + running
  WITH a WHERE (a.sub_ready > 0) <> (a.ready_under IS NOT NULL)
  OPTIONAL MATCH (b:Task)-[s:SPAWNED]->(a)
  SET a.place = coalesce(s.position, 0),
    a.ready_under = CASE WHEN a.sub_ready > 0 THEN coalesce(b.key, $tree) END
  RETURN count(a) AS settled
}
MATCH (w:TaskTree {key: $tree})
SET w.kept_completed = w.kept_completed + $completed, w.kept_failed = w.kept_failed + $failed,
  w.kept_depth = CASE WHEN $deepest > w.kept_depth THEN $deepest ELSE w.kept_depth END
RETURN settled
