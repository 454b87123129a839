// Take a project's lock, and read its journal's head and all that a group of small writes looks at.
// params: project, ids, keys, pairs, waiting
// returns: seq, head, timestamp, ordinal, removing, now, nodes, edges, pending, waits, flagged, concerned, next_rank
// :param {project: "demo", ids: ["n1"], keys: ["demo/n1"], pairs: [], waiting: []}
MATCH (p:Project {key: $project})
SET p.locks = 1
WITH p
CALL () {
  UNWIND $keys AS key
  MATCH (n:WorkNode {key: key})
  RETURN collect(n {.*, created_at: toString(n.created_at), updated_at: toString(n.updated_at),
    requires: COLLECT { MATCH (n)-[r:REQUIRES]->(t:Tag) RETURN t.name ORDER BY r.position },
    produces: COLLECT { MATCH (n)-[r:PRODUCES]->(t:Tag) RETURN t.name ORDER BY r.position },
    tags: COLLECT { MATCH (n)-[r:TAGGED]->(k:Keyword) RETURN k.name ORDER BY r.position },
    parent: head(COLLECT { MATCH (n)-[:DERIVED_FROM]->(above:WorkNode) RETURN above.id LIMIT 1 }),
    children: COLLECT {
      MATCH (c:WorkNode)-[r:DERIVED_FROM]->(n)
      RETURN c.id ORDER BY coalesce(r.position, 1000000), c.id
    }}) AS nodes
}
CALL () {
  UNWIND $pairs AS row
  MATCH (a:WorkNode {key: row.start})-[r:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]->(b:WorkNode {key: row.end})
  WHERE type(r) = row.label AND coalesce(r.kind, '') = row.kind
  RETURN collect([row.label, a.id, b.id, properties(r)]) AS edges
}
CALL () {
  UNWIND $waiting AS key
  MATCH (w:PendingEdge {key: key})
  RETURN collect(w {.key, .type, .data}) AS pending
}
CALL () {
  UNWIND $ids AS id
  CALL (id) {
    MATCH (w:PendingEdge {project_id: $project, src: id})
    WHERE w.type <> 'step'
    RETURN w
    UNION
    MATCH (w:PendingEdge {project_id: $project, dst: id})
    RETURN w
  }
  RETURN collect([id, w.key, w.type, w.data]) AS waits
}
RETURN p.seq AS seq, p.head AS head, p.journal_at AS timestamp, p.ordinal AS ordinal,
  p.removing IS NOT NULL AS removing,
  datetime.truncate('millisecond', datetime.realtime('Z')) AS now,
  nodes, edges, pending, waits, EXISTS {
  MATCH (:WorkNode)-[r:HARD_REQUIRES {project_id: $project, closes_cycle: true}]->(:WorkNode)
} AS flagged, EXISTS {
  MATCH (f:WorkNode {project_id: $project, status: 'failed'}) WHERE f.id > ''
} OR EXISTS {
  MATCH (h:WorkNode {project_id: $project, status: 'blocked'})
  WHERE h.id > '' AND h.blocked_by IS NOT NULL
} AS concerned, p.next_rank AS next_rank
