// Delete up to `limit` of each kind of entity of a project; 0 when none is left.
// params: project, limit
// returns: deleted
// :param {project: "demo", limit: 1000}
CALL () {
  MATCH (n:WorkNode {project_id: $project}) WHERE n.id > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Run {project_id: $project}) WHERE n.id > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Tag {project_id: $project}) WHERE n.name > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Keyword {project_id: $project}) WHERE n.name > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:PendingEdge {project_id: $project}) WHERE n.src > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Task {project_id: $project}) WHERE n.tree_id > '' AND n.id > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:TaskTree {project_id: $project}) WHERE n.id > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Document {project_id: $project}) WHERE n.id > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:TaskState {project_id: $project}) WHERE n.id > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Vector {project_id: $project}) WHERE n.id > '' RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:VectorCollection {key: $project}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Staged {project_id: $project}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Import {key: $project}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:JournalEntry {project_id: $project}) WHERE n.seq > 0 RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Request {project_id: $project}) WHERE n.created_at IS NOT NULL RETURN n LIMIT $limit
}
DETACH DELETE n
RETURN count(*) AS deleted
