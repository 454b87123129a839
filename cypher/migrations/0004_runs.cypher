// The order in which the steps of a run are claimed; only those that can be claimed have it.
CREATE INDEX step_queue IF NOT EXISTS FOR ()-[r:STEP]-() ON (r.run_key, r.queue, r.position);
