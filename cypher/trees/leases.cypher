// The ids of a tree's tasks that are leased, or wait for a next try, each with when that ends.
// params: project, tree, limit
// returns: leases
// :param {project: "demo", tree: "t", limit: 10000}
UNWIND ['running', 'pending'] AS status
CALL (status) {
  MATCH (t:Task {project_id: $project, tree_id: $tree, status: status})
  WHERE t.lease_until >= 0
  RETURN t ORDER BY t.lease_until LIMIT $limit
}
RETURN collect([t.id, t.lease_until]) AS leases
