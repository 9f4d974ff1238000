// Waits until every index is ready to answer.
// mode: read
// params: -
// returns: -
CALL db.awaitIndexes(290)
