// How many steps a run has.
COUNT { MATCH (this)-[:STEP]->(s:WorkNode) WHERE s.project_id = $project }
