// Owners of passages or names that were current after a number of the log, in order.
// mode: read
// params: domain, at, after, limit
// returns: owner
CALL () {
  MATCH (p:_Passage)
  WHERE p._domain = $domain AND p._owner > $after AND p._until > $at AND p._since <= $at
  RETURN p._owner AS owner
  UNION
  MATCH (n:_Name)
  WHERE n._domain = $domain AND n._owner > $after AND n._until > $at AND n._since <= $at
  RETURN n._owner AS owner
}
WITH DISTINCT owner
ORDER BY owner
LIMIT $limit
RETURN owner
