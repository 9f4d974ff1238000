// Owners of passages or names that were current after a number of the log, in order.
// mode: read
// params: domain, at, after, limit
// returns: owner
CALL () {
  MATCH (p:_Passage)
  WHERE p._domain = $domain AND p._owner > $after AND p._until > $at AND p._since <= $at
  WITH DISTINCT p._domain AS domain, p._owner AS owner
  ORDER BY domain, owner
  LIMIT $limit
  RETURN owner
  UNION
  MATCH (n:_Name)
  WHERE n._domain = $domain AND n._owner > $after AND n._until > $at AND n._since <= $at
  WITH DISTINCT n._domain AS domain, n._owner AS owner
  ORDER BY domain, owner
  LIMIT $limit
  RETURN owner
}
WITH DISTINCT owner
ORDER BY owner
LIMIT $limit
RETURN owner
