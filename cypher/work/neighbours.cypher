// The first ids of unseen work nodes an edge away from given ones, of some statuses (none: any).
// params: keys, seen, statuses, first
// returns: ids
// :param {keys: ["demo/n1"], seen: ["demo/n1"], statuses: [], first: 100}
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})-[:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]-(m:WorkNode)
WHERE NOT m.key IN $seen AND (size($statuses) = 0 OR m.status IN $statuses)
WITH DISTINCT m.id AS id ORDER BY id LIMIT $first
RETURN collect(id) AS ids
