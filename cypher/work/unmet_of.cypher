// Required tags that no node produces, each with those of the given nodes that ask for it, as one row.
// params: project, ids, limit
// returns: unmet
// :param {project: "demo", ids: ["n1"], limit: 1000}
MATCH (t:Tag {project_id: $project})
WHERE t.name > '' AND NOT EXISTS { (t)<-[:PRODUCES]-(:WorkNode) }
MATCH (t)<-[:REQUIRES]-(n:WorkNode)
WHERE n.id IN $ids
WITH DISTINCT t.name AS tag, n.id AS id ORDER BY tag, id
WITH tag, collect(id)[..$limit] AS nodes ORDER BY tag LIMIT $limit
RETURN collect([tag, nodes]) AS unmet
