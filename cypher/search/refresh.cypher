// Waits until the search index holds everything that was committed before.
// mode: read
// params: -
// returns: -
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
