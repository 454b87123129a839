// How many nodes that this one needs are neither completed nor skipped.
COUNT { MATCH (this)<-[:HARD_REQUIRES]-(p:WorkNode) WHERE p.project_id = $project AND NOT p.status IN ['completed', 'skipped'] }
