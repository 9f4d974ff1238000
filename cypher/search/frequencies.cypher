// The number of passages that each of several full-text queries finds.
// mode: read
// params: index, queries
// returns: place, having
UNWIND range(0, size($queries) - 1) AS place
CALL (place) {
  CALL db.index.fulltext.queryNodes($index, $queries[place]) YIELD node
  RETURN count(node) AS having
}
RETURN place, having
ORDER BY place
