// Of a tree's leased tasks: the running ones whose lease ended, and how many wait for a next try.
// params: project, tree, now, limit
// returns: lost, paused
// :param {project: "demo", tree: "t", now: 0, limit: 1000}
CALL () {
  MATCH (t:Task {project_id: $project, tree_id: $tree, status: 'running'})
  WHERE t.lease_until <= $now
  WITH t LIMIT $limit
  RETURN collect(t.id) AS lost
}
CALL () {
  MATCH (t:Task {project_id: $project, tree_id: $tree, status: 'pending'})
  WHERE t.lease_until > $now
  RETURN count(t) AS paused
}
RETURN lost, paused
