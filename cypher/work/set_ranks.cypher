// Write ranks by internal id.
// params: ids, ranks
// returns: written
// :param {ids: [], ranks: []}
UNWIND range(0, size($ids) - 1) AS i
MATCH (n:WorkNode) WHERE id(n) = $ids[i]
SET n.rank = $ranks[i]
RETURN count(n) AS written
