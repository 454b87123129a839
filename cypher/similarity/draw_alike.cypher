// Draw the hundred strongest soft edges of a project with their ends, each with its evidence.
// params: project
// returns: a, alike, b, score, evidence
// :param {project: "demo"}
MATCH (a:WorkNode)-[alike:SOFT_SEMANTIC {project_id: $project}]->(b:WorkNode)
RETURN a, alike, b, alike.score AS score, alike.evidence AS evidence
ORDER BY score DESC, a.id, b.id LIMIT 100
