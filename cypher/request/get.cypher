// The answer that was given to an idempotency key.
// params: key
// returns: fingerprint, answer
// :param {key: "demo/first"}
MATCH (r:Request {key: $key})
RETURN r.fingerprint AS fingerprint, r.answer AS answer
