// Give work nodes that somebody made by hand the bookkeeping that every other one has.
// params: project, nodes, now
// returns: mended
// :param {project: "demo", nodes: [{id: "n1", key: "demo/n1"}], now: datetime()}
MATCH (p:Project {key: $project})
CALL (p) {
  UNWIND range(0, size($nodes) - 1) AS i
  MATCH (n:WorkNode {project_id: $project, id: $nodes[i].id})
  SET n.key = $nodes[i].key, n.rank = coalesce(n.rank, p.next_rank + i * 4294967296),
    n.revision = coalesce(n.revision, 1), n.version = coalesce(n.version, 1),
    n.status = coalesce(n.status, 'ready'), n.created_at = coalesce(n.created_at, $now),
    n.updated_at = coalesce(n.updated_at, $now), n.caption = coalesce(n.caption, n.summary, n.id)
  RETURN count(n) AS mended
}
SET p.next_rank = p.next_rank + size($nodes) * 4294967296
RETURN mended
