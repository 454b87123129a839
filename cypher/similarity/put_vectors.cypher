// Store shared vectors under their keys, or other ones in their place.
// params: project, vectors
// returns: stored
// :param {project: "demo", vectors: [{key: "demo/v1", id: "v1", embedding: [1.0, 0.0], packed: null}]}
UNWIND $vectors AS row
MERGE (v:Vector {key: row.key})
SET v.project_id = $project, v.id = row.id, v.packed = row.packed
WITH v, row
CALL db.create.setNodeVectorProperty(v, 'embedding', row.embedding)
RETURN count(v) AS stored
