// How far a project's staged import came; no row where there is none.
// params: project
// returns: fingerprint, seq, stamp, ordinal, nodes, edges
// :param {project: "demo"}
MATCH (i:Import {key: $project})
RETURN i.fingerprint AS fingerprint, i.seq AS seq, i.stamp AS stamp, i.ordinal AS ordinal,
  i.nodes AS nodes, i.edges AS edges
