// Note something beside a project's shared vectors, as long as they follow this journal entry.
// params: project, note, seq, hash
// returns: noted
// :param {project: "demo", note: "", seq: 0, hash: ""}
MATCH (c:VectorCollection {key: $project})
WHERE c.seq = $seq AND c.hash = $hash
SET c.note = $note
RETURN count(c) AS noted
