// How far a project's staged import came; no row where there is none.
// params: project
// returns: fingerprint, number, seq, stamp, nodes, edges
// :param {project: "demo"}
MATCH (i:Import {key: $project})
RETURN i.fingerprint AS fingerprint, i.number AS number, i.seq AS seq, i.stamp AS stamp,
  i.nodes AS nodes, i.edges AS edges
