"""What the floors ask of Neo4j, by hand: the least that does the work at all.

Nothing of the service uses these; they are what it is compared with.
"""

NODES = """
UNWIND $rows AS row
CREATE (n:WorkNode)
SET n = row
"""
TAGS = """
UNWIND $rows AS row
CREATE (t:Tag)
SET t = row
"""
REQUIRES = """
UNWIND $rows AS row
MATCH (n:WorkNode {key: row[0]})
MATCH (t:Tag {key: row[1]})
CREATE (n)-[:REQUIRES]->(t)
"""
PRODUCES = """
UNWIND $rows AS row
MATCH (n:WorkNode {key: row[0]})
MATCH (t:Tag {key: row[1]})
CREATE (n)-[:PRODUCES]->(t)
"""
EDGES = """
UNWIND $rows AS row
MATCH (a:WorkNode {key: row[0]})
MATCH (b:WorkNode {key: row[1]})
CREATE (a)-[r:HARD_REQUIRES]->(b)
SET r = $facts
"""
#: The same pairs by internal id, as the goal of linking names it.
PAIRS = """
UNWIND $rows AS row
MATCH (a) WHERE id(a) = row[0]
MATCH (b) WHERE id(b) = row[1]
CREATE (a)-[r:HARD_REQUIRES]->(b)
SET r = $facts
"""
UNPAIR = """
MATCH (a:WorkNode {project_id: $project})-[r:HARD_REQUIRES]->(:WorkNode)
WHERE a.id > ''
WITH r LIMIT 50000
DELETE r
RETURN count(*) AS gone
"""
INTERNAL = """
MATCH (n:WorkNode {project_id: $project})
WHERE n.id > ''
RETURN collect([n.id, id(n)]) AS found
"""
RANKS = """
MATCH (n:WorkNode {project_id: $project})
WHERE n.id > ''
WITH n.id AS id, n.rank AS rank ORDER BY rank
RETURN collect(id) AS found
"""
RANK_OF = """
MATCH (a:WorkNode {key: $src})
MATCH (b:WorkNode {key: $dst})
RETURN a.rank < b.rank AS found
"""
PACKED = """
MATCH (a:WorkNode {project_id: $project})-[:HARD_REQUIRES]->(b)
WHERE a.id > ''
RETURN collect(id(a) * 4294967296 + id(b)) AS found
"""
#: One write transaction that keeps an edge, without any check.
EDGE = """
MATCH (a:WorkNode {key: $src})
MATCH (b:WorkNode {key: $dst})
CREATE (a)-[r:HARD_REQUIRES]->(b)
SET r = $facts
"""
POINT = """
MATCH (n:WorkNode {key: $key})
RETURN n.status AS found
"""
IDS = """
UNWIND $keys AS key
MATCH (n:WorkNode {key: key})
RETURN collect(n.id) AS found
"""
#: One write transaction that changes a node, without a journal.
SAY = """
MATCH (n:WorkNode {key: $key})
SET n.caption = $text
RETURN n.id AS found
"""
#: The first SET takes the lock in the way that makes no deadlocks.
NEXT_SEQ = """
MATCH (p:Project {key: $key})
SET p.locks = 1
SET p.seq = p.seq + 1
RETURN p.seq AS found
"""
PROJECT = """
CREATE (p:Project {key: $key, id: $key, project_id: $key, caption: $key, seq: 0,
  next_rank: $next_rank, ordinal: 0, created_at: datetime(),
  head: '0000000000000000000000000000000000000000000000000000000000000000'})
"""
#: A part of a project; each label by its index, which wants its second property, too.
REMOVE = """
CALL () {
  MATCH (n:WorkNode {project_id: $project}) WHERE n.id > ''
  WITH n LIMIT 5000 DETACH DELETE n
  RETURN count(*) AS nodes
}
CALL () {
  MATCH (n:Tag {project_id: $project}) WHERE n.name > ''
  WITH n LIMIT 5000 DETACH DELETE n
  RETURN count(*) AS tags
}
CALL () {
  MATCH (n:JournalEntry {project_id: $project}) WHERE n.seq > 0
  WITH n LIMIT 5000 DETACH DELETE n
  RETURN count(*) AS entries
}
CALL () {
  MATCH (n:Task {project_id: $project}) WHERE n.tree_id > ''
  WITH n LIMIT 5000 DETACH DELETE n
  RETURN count(*) AS tasks
}
CALL () {
  MATCH (n:TaskTree {project_id: $project}) WHERE n.id > ''
  DETACH DELETE n
  RETURN count(*) AS trees
}
CALL () {
  MATCH (n:Project {key: $project})
  DETACH DELETE n
  RETURN count(*) AS projects
}
RETURN nodes + tags + entries + tasks AS gone
"""
COMPONENTS = (
    "CALL dbms.components() YIELD versions, edition RETURN versions[0] + ' ' + edition AS found"
)

#: The list and the node of REST, as GraphQL answers them.
_NODE = """{
  id: 'WorkNode:' + n.key, nodeId: n.id, kind: n.kind, summary: n.summary,
  status: toUpper(n.status), execTarget: n.exec_target, version: n.version,
  revision: n.revision, createdAt: toString(n.created_at), updatedAt: toString(n.updated_at),
  prerequisites: {nodes: COLLECT {
    MATCH (n)<-[:HARD_REQUIRES]-(m:WorkNode)
    WITH m ORDER BY m.id LIMIT 3
    RETURN {nodeId: m.id, summary: m.summary, status: toUpper(m.status)}
  }}
}"""
LIST = f"""
MATCH (n:WorkNode {{project_id: $project}})
WHERE n.id > ''
WITH n ORDER BY n.project_id, n.id LIMIT $first
RETURN collect({_NODE}) AS found
"""
ONE = f"""
MATCH (n:WorkNode {{key: $key}})
RETURN {_NODE} AS found
"""
GDS_VERSION = "RETURN gds.version() AS found"
GDS_DROP = "CALL gds.graph.drop($name, false) YIELD graphName RETURN graphName AS found"
GDS_PROJECT = """
MATCH (a:WorkNode {project_id: $project})-[:HARD_REQUIRES]->(b:WorkNode)
WHERE a.id > ''
WITH gds.graph.project($name, a, b) AS g
RETURN g.relationshipCount AS found
"""
GDS_LAYERS = """
CALL gds.dag.topologicalSort.stream($name, {computeMaxDistanceFromSource: true})
YIELD nodeId, maxDistanceFromSource
WITH toInteger(maxDistanceFromSource) AS layer, collect(nodeId) AS nodes
RETURN collect([layer, nodes]) AS found
"""
TASKS = """
UNWIND $rows AS row
CREATE (t:Task)
SET t = row
"""
SPAWNED = """
UNWIND $rows AS row
MATCH (a:Task {key: row[0]})
MATCH (b:Task {key: row[1]})
CREATE (a)-[:SPAWNED {position: row[2], project_id: $project}]->(b)
"""
#: One task's kept totals, by its key.
TOTAL = """
MATCH (t:Task {key: $task})
RETURN [t.sub_tasks, t.sub_total_tokens, t.sub_cost_micro, t.sub_cost_rest] AS found
"""
#: So many tasks of a tree, with all their properties.
TASK_PAGE = """
MATCH (t:Task {project_id: $project, tree_id: $tree})
WHERE t.id > ''
WITH t LIMIT $first
RETURN collect(properties(t)) AS found
"""
#: The least that a journalled change of one number is.
ENTRY = """
MATCH (p:Project {key: $key})
SET p.seq = p.seq + 1
CREATE (j:JournalEntry {key: $key + '/' + toString(p.seq), project_id: $key, seq: p.seq,
  event: 'update_task', data: $data})
RETURN p.seq AS found
"""
SCAN = """
MATCH (t:Task {project_id: $project, tree_id: $tree})
WHERE t.id > ''
RETURN [count(t), sum(t.input_tokens), sum(t.output_tokens), sum(t.total_tokens),
  sum(t.cache_hits), sum(CASE WHEN t.total_tokens > 0 AND t.cost_pico IS NULL THEN 1 ELSE 0 END),
  sum(t.cost_pico / 1000000), sum(t.cost_pico % 1000000),
  sum(t.savings_pico / 1000000), sum(t.savings_pico % 1000000)] AS found
"""
