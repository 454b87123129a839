// What of a task tree may start next, and whose lease ended: only open tasks stand in these.
CREATE INDEX task_ready IF NOT EXISTS FOR (n:Task) ON (n.ready_under, n.place);
CREATE INDEX task_lease IF NOT EXISTS FOR (n:Task) ON (n.project_id, n.tree_id, n.status, n.lease_until);
