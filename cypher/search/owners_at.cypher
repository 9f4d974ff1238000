// Owners of passages or names that were current at an event number, in order. Returns owners with at most `most` passages in
// total, but always the first owner.
// mode: read
// params: domain, at, after, limit, most
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
WITH owner, COUNT { MATCH (p:_Passage) WHERE p._domain = $domain AND p._owner = owner AND p._until > $at } AS size
ORDER BY owner
WITH collect(owner) AS owners, collect(size) AS sizes
WITH owners, reduce(sums = [0], size IN sizes | sums + [last(sums) + size]) AS sums
UNWIND range(0, size(owners) - 1) AS place
WITH owners[place] AS owner, place
WHERE place = 0 OR sums[place + 1] <= $most
RETURN owner
ORDER BY owner
