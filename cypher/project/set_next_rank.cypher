// Where the ranks of a project's new nodes begin.
// params: project, rank
// returns: rank
// :param {project: "demo", rank: 4294967296}
MATCH (p:Project {key: $project})
SET p.next_rank = $rank
RETURN p.next_rank AS rank
