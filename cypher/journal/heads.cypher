// How far the journals of some projects go; a project that is gone is left out. One row.
// params: projects
// returns: heads
// :param {projects: ["demo"]}
UNWIND $projects AS id
MATCH (p:Project {key: id})
WHERE p.seq IS NOT NULL
RETURN collect([id, p.seq, p.removing IS NOT NULL AND p.replaying IS NULL]) AS heads
