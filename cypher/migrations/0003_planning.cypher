// What a plan asks before it reads much: the nodes that have an estimate (no others are in the
// index), whether edges come from tags, and the soft edges of a project.
CREATE INDEX work_node_estimate IF NOT EXISTS FOR (n:WorkNode) ON (n.project_id, n.estimate_minutes);
CREATE INDEX hard_requires_origin IF NOT EXISTS FOR ()-[r:HARD_REQUIRES]-() ON (r.project_id, r.origin);
CREATE INDEX soft_semantic_project IF NOT EXISTS FOR ()-[r:SOFT_SEMANTIC]-() ON (r.project_id);
