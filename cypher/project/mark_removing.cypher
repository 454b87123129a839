// Take a project's lock and mark that it is being removed; unless `first`, only if it is already.
// params: project, first
// returns: marked
// :param {project: "demo", first: true}
MATCH (p:Project {key: $project})
SET p.locks = 1
WITH p WHERE $first OR p.removing IS NOT NULL
SET p.removing = true
RETURN count(p) AS marked
