// Edges one of whose nodes is not stored yet.
MATCH (edge:PendingEdge) WHERE edge.project_id = $project AND edge.type <> 'step'
