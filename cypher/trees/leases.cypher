// The ids of a tree's tasks that are leased, each with the end of its lease, as one row.
// params: project, tree, limit
// returns: leases
// :param {project: "demo", tree: "t", limit: 10000}
MATCH (t:Task {project_id: $project, tree_id: $tree})
WHERE t.id > '' AND t.lease_until IS NOT NULL
WITH t ORDER BY t.id LIMIT $limit
RETURN collect([t.id, t.lease_until]) AS leases
