// Keep the answers to idempotency keys and forget up to 1,000 of the project's old ones.
// params: project, answers, days
// returns: kept
// :param {project: "demo", answers: [{key: "demo/first", fingerprint: "", answer: "{}"}], days: 7}
UNWIND $answers AS row
CREATE (r:Request)
SET r = row, r.project_id = $project, r.caption = row.key, r.created_at = datetime()
WITH count(r) AS kept
CALL () {
  MATCH (old:Request {project_id: $project})
  WHERE old.created_at < datetime() - duration({days: $days})
  WITH old LIMIT 1000
  DELETE old
}
RETURN kept
