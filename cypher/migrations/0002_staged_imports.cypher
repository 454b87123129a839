// Keys of what a large import stages until its last transaction.
CREATE CONSTRAINT staged_key IF NOT EXISTS FOR (n:Staged) REQUIRE n.key IS UNIQUE;
CREATE INDEX staged_project IF NOT EXISTS FOR (n:Staged) ON (n.project_id);
CREATE CONSTRAINT import_key IF NOT EXISTS FOR (n:Import) REQUIRE n.key IS UNIQUE;
