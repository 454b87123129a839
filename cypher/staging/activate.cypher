// Make staged nodes work nodes, with ranks above every other's in the order given.
// params: project, keys
// returns: activated
// :param {project: "demo", keys: []}
MATCH (p:Project {key: $project})
CALL (p) {
  UNWIND range(0, size($keys) - 1) AS i
  MATCH (n:Staged {key: $keys[i]})
  SET n:WorkNode, n.rank = p.next_rank + i * 4294967296
  REMOVE n:Staged
  RETURN count(n) AS activated
}
SET p.next_rank = p.next_rank + size($keys) * 4294967296
RETURN activated
