// Six levels down to the first task that may start below a task or tree: `found`, or go on there.
// params: under
// returns: at, id, found
// :param {under: "demo/t"}
MATCH (a:Task {ready_under: $under}) WHERE a.place >= 0
WITH a ORDER BY a.ready_under, a.place LIMIT 1
OPTIONAL CALL (a) {
  WITH a WHERE coalesce(a.turn, '') <> 'ready'
  MATCH (b:Task {ready_under: a.key}) WHERE b.place >= 0
  RETURN b ORDER BY b.ready_under, b.place LIMIT 1
}
WITH coalesce(b, a) AS a
OPTIONAL CALL (a) {
  WITH a WHERE coalesce(a.turn, '') <> 'ready'
  MATCH (b:Task {ready_under: a.key}) WHERE b.place >= 0
  RETURN b ORDER BY b.ready_under, b.place LIMIT 1
}
WITH coalesce(b, a) AS a
OPTIONAL CALL (a) {
  WITH a WHERE coalesce(a.turn, '') <> 'ready'
  MATCH (b:Task {ready_under: a.key}) WHERE b.place >= 0
  RETURN b ORDER BY b.ready_under, b.place LIMIT 1
}
WITH coalesce(b, a) AS a
OPTIONAL CALL (a) {
  WITH a WHERE coalesce(a.turn, '') <> 'ready'
  MATCH (b:Task {ready_under: a.key}) WHERE b.place >= 0
  RETURN b ORDER BY b.ready_under, b.place LIMIT 1
}
WITH coalesce(b, a) AS a
OPTIONAL CALL (a) {
  WITH a WHERE coalesce(a.turn, '') <> 'ready'
  MATCH (b:Task {ready_under: a.key}) WHERE b.place >= 0
  RETURN b ORDER BY b.ready_under, b.place LIMIT 1
}
WITH coalesce(b, a) AS a
RETURN a.key AS at, a.id AS id, coalesce(a.turn, '') = 'ready' AS found
