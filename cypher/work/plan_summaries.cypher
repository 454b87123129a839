// What nodes say of themselves, by their internal ids, one row.
// params: internal
// returns: internal, summaries
// :param {internal: [0]}
UNWIND $internal AS i
MATCH (n:WorkNode) WHERE id(n) = i
RETURN collect(i) AS internal, collect(coalesce(n.summary, '')) AS summaries
