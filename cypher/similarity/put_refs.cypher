// Note on nodes where their vectors are kept.
// params: refs
// returns: changed
// :param {refs: [["demo/n1", "{}"]]}
UNWIND $refs AS row
MATCH (n:WorkNode {key: row[0]})
WHERE n.embedding_ref IS NULL OR n.embedding_ref <> row[1]
SET n.embedding_ref = row[1]
RETURN count(n) AS changed
