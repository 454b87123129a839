// Delete up to `limit` of a project's tags and keywords that nothing names.
// params: project, limit
// returns: deleted
// :param {project: "demo", limit: 1000}
CALL () {
  MATCH (t:Tag {project_id: $project}) WHERE t.name > '' AND NOT EXISTS { (t)<--() } RETURN t
  UNION ALL
  MATCH (t:Keyword {project_id: $project}) WHERE t.name > '' AND NOT EXISTS { (t)<--() } RETURN t
}
WITH t LIMIT $limit
DELETE t
RETURN count(*) AS deleted
