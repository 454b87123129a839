// The answers that were given to idempotency keys, as one row.
// params: keys
// returns: known
// :param {keys: ["demo/first"]}
UNWIND $keys AS key
MATCH (r:Request {key: key})
RETURN collect([r.key, r.fingerprint, r.answer]) AS known
