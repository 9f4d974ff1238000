// Waits until all indexes are online.
// mode: read
// params: -
// returns: -
CALL db.awaitIndexes(290)
