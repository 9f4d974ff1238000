// Deletes passages and names of a domain that ended at an event number or before, up to a limit, and returns their number.
// mode: write
// params: domain, to, limit
// returns: deleted
CALL () {
  MATCH (p:_Passage)
  WHERE p._domain = $domain AND p._owner IS NOT NULL AND p._until <= $to
  WITH p
  LIMIT $limit
  DELETE p
  RETURN count(*) AS passages
}
CALL () {
  MATCH (n:_Name)
  WHERE n._domain = $domain AND n._owner IS NOT NULL AND n._until <= $to
  WITH n
  LIMIT $limit
  DELETE n
  RETURN count(*) AS names
}
RETURN passages + names AS deleted
