// Wait until every index is online, at most a minute.
// params: none
// returns: nothing
CALL db.awaitIndexes(60)
