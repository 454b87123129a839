// Join staged nodes to the Tags they name, creating those that are new.
// params: project, links
// returns: links
// :param {project: "demo", links: [{node: "demo/n1", key: "demo/web", name: "web", position: 0}]}
UNWIND $links AS link
MERGE (t:Tag {key: link.key})
ON CREATE SET t.project_id = $project, t.name = link.name, t.caption = link.name
WITH link, t
MATCH (n:Staged {key: link.node})
CREATE (n)-[:PRODUCES {position: link.position}]->(t)
RETURN count(*) AS links
