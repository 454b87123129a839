// One row, where the database answers.
// params: none
// returns: one
RETURN 1 AS one
