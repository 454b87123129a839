// Tasks, tokens, cost in two parts and tasks without a price that are kept for a whole tree.
head(COLLECT { MATCH (this)-[:ROOT]->(t:Task) WHERE t.project_id = $project RETURN [t.sub_tasks, t.sub_total_tokens, t.sub_cost_micro, t.sub_cost_rest, t.sub_unpriced] LIMIT 1 })
