// Delete the tags and keywords of a project that no work node names.
// params: project
// returns: removed
// :param {project: "demo"}
CALL () {
  MATCH (t:Tag {project_id: $project}) WHERE t.name > '' AND NOT EXISTS { (t)<--() }
  RETURN t
  UNION
  MATCH (t:Keyword {project_id: $project}) WHERE t.name > '' AND NOT EXISTS { (t)<--() }
  RETURN t
}
DELETE t
RETURN count(*) AS removed
