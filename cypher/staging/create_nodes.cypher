// Create staged nodes: like work nodes, but no query knows them yet.
// params: nodes
// returns: created
// :param {nodes: []}
UNWIND $nodes AS row
CREATE (n:Staged)
SET n = row, n.revision = 1, n.created_at = datetime(n.created_at),
  n.updated_at = datetime(n.updated_at)
RETURN count(n) AS created
