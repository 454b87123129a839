// The relationships out of a page of a project's work nodes, as one row, with the page's last id.
// params: project, after, first
// returns: edges, last
// :param {project: "demo", after: "", first: 1000}
MATCH (n:WorkNode {project_id: $project})
WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $first
WITH collect(n) AS page
RETURN COLLECT {
  UNWIND page AS n
  MATCH (n)-[r:HARD_REQUIRES|SOFT_SEMANTIC|DERIVED_FROM|RELATED]->(m:WorkNode)
  RETURN [type(r), n.id, m.id, properties(r)]
} AS edges, last(page).id AS last
