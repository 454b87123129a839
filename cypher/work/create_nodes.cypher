// Create work nodes from whole rows of properties, with ranks above every other's.
// params: project, nodes
// returns: created
// :param {project: "demo", nodes: []}
MATCH (p:Project {key: $project})
CALL (p) {
  UNWIND range(0, size($nodes) - 1) AS i
  CREATE (n:WorkNode)
  SET n = $nodes[i], n.rank = p.next_rank + i * 4294967296, n.revision = 1,
    n.created_at = datetime(n.created_at), n.updated_at = datetime(n.updated_at)
  RETURN count(n) AS created
}
SET p.next_rank = p.next_rank + size($nodes) * 4294967296
RETURN created
