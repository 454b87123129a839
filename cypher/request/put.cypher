// Keep the answer to an idempotency key and forget up to 1,000 of the project's old ones.
// params: project, key, fingerprint, answer, days
// returns: kept
// :param {project: "demo", key: "demo/first", fingerprint: "", answer: "{}", days: 7}
CREATE (r:Request {key: $key, project_id: $project, fingerprint: $fingerprint, answer: $answer,
  created_at: datetime(), caption: $key})
WITH count(r) AS kept
CALL () {
  MATCH (old:Request {project_id: $project})
  WHERE old.created_at < datetime() - duration({days: $days})
  WITH old LIMIT 1000
  DELETE old
}
RETURN kept
