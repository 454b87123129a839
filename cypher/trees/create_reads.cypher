// Join tasks to the documents in their context, which are created where they are not there yet.
// params: reads
// returns: created
// :param {reads: []}
UNWIND $reads AS row
MATCH (t:Task {key: row.task})
MERGE (d:Document {key: row.document.key})
ON CREATE SET d = row.document
CREATE (t)-[r:READ]->(d)
SET r = row.properties
RETURN count(r) AS created
