// Make the derived hard edges of nodes whose tags changed what the tags imply; one row of what changed.
// params: project, now, provenance
// returns: added, updated, removed, weakened, disordered
// :param {project: "demo", now: datetime(), provenance: "{}"}
CALL () {
  MATCH (n:WorkNode {project_id: $project, unlinked: true})
  MATCH (n)-[old:HARD_REQUIRES]-(:WorkNode)
  WITH DISTINCT old, startNode(old) AS p, endNode(old) AS c
  WHERE old.origin <> 'explicit'
    AND NOT EXISTS { (p)-[:PRODUCES]->(:Tag)<-[:REQUIRES]-(c) }
  WITH p, c, old, old.origin = 'derived' AS gone
  WITH collect([p.id, c.id, gone]) AS lost, collect(CASE WHEN gone THEN old END) AS dead,
    collect(CASE WHEN NOT gone THEN old END) AS weak
  FOREACH (r IN dead | DELETE r)
  FOREACH (r IN weak | SET r.origin = 'explicit' REMOVE r.tags)
  RETURN [x IN lost WHERE x[2] | [x[0], x[1]]] AS removed,
    [x IN lost WHERE NOT x[2] | [x[0], x[1]]] AS weakened
}
CALL () {
  CALL () {
    MATCH (c:WorkNode {project_id: $project, unlinked: true})-[:REQUIRES]->(t:Tag)
    MATCH (t)<-[:PRODUCES]-(p:WorkNode)
    WHERE p <> c
    RETURN p, c, t
    UNION
    MATCH (p:WorkNode {project_id: $project, unlinked: true})-[:PRODUCES]->(t:Tag)
    MATCH (t)<-[:REQUIRES]-(c:WorkNode)
    WHERE p <> c
    RETURN p, c, t
  }
  WITH p, c, collect(DISTINCT t.name) AS names
  WITH p, c, CASE WHEN size(names) = 1 THEN names
    ELSE COLLECT { UNWIND names AS name RETURN name ORDER BY name } END AS tags
  OPTIONAL MATCH (p)-[old:HARD_REQUIRES]->(c)
  WITH p, c, tags, old, old.origin AS before
  WHERE old IS NULL OR old.origin = 'explicit' OR old.tags <> tags
  FOREACH (_ IN CASE WHEN old IS NULL THEN [1] ELSE [] END |
    CREATE (p)-[:HARD_REQUIRES {project_id: $project, origin: 'derived', tags: tags, version: 1,
      created_at: $now, provenance: $provenance,
      evidence: c.id + " requires '" + reduce(s = head(tags), x IN tail(tags) | s + ', ' + x)
        + "' which " + p.id + ' produces'}]->(c))
  FOREACH (r IN CASE WHEN old IS NULL THEN [] ELSE [old] END |
    SET r.tags = tags, r.origin = CASE r.origin WHEN 'derived' THEN 'derived' ELSE 'both' END,
      r.evidence = CASE r.origin WHEN 'derived' THEN
        c.id + " requires '" + reduce(s = head(tags), x IN tail(tags) | s + ', ' + x)
        + "' which " + p.id + ' produces' ELSE r.evidence END)
  WITH p, c, tags, before, old IS NULL AS new
  RETURN collect(CASE WHEN new THEN [p.id, c.id, tags] END) AS added,
    collect(CASE WHEN NOT new THEN [p.id, c.id, tags, before] END) AS updated,
    coalesce(sum(CASE WHEN new AND p.rank >= c.rank THEN 1 ELSE 0 END), 0) AS disordered
}
CALL () {
  MATCH (n:WorkNode {project_id: $project, unlinked: true})
  REMOVE n.unlinked
}
RETURN added, updated, removed, weakened, disordered
