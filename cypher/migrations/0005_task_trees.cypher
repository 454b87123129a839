// Task trees: keys, and what their lists, groups and totals look for.
CREATE CONSTRAINT task_tree_key IF NOT EXISTS FOR (n:TaskTree) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT task_key IF NOT EXISTS FOR (n:Task) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT document_key IF NOT EXISTS FOR (n:Document) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT task_state_key IF NOT EXISTS FOR (n:TaskState) REQUIRE n.key IS UNIQUE;
CREATE INDEX task_tree_id IF NOT EXISTS FOR (n:TaskTree) ON (n.project_id, n.id);
CREATE INDEX task_tree_session IF NOT EXISTS FOR (n:TaskTree) ON (n.project_id, n.session_id, n.id);
CREATE INDEX task_tree_added IF NOT EXISTS FOR (n:TaskTree) ON (n.project_id, n.added_at, n.id);
CREATE INDEX task_place IF NOT EXISTS FOR (n:Task) ON (n.project_id, n.tree_id, n.id);
CREATE INDEX document_id IF NOT EXISTS FOR (n:Document) ON (n.project_id, n.id);
CREATE INDEX task_state_id IF NOT EXISTS FOR (n:TaskState) ON (n.project_id, n.id);
CREATE INDEX task_state_tree IF NOT EXISTS FOR (n:TaskState) ON (n.project_id, n.tree_id);
