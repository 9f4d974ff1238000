// Has the passages of the next owners be in the indexes of the domain's analysers, and in no others; tells the last owner.
// mode: write
// params: domain, labels, after, limit
// returns: last
MATCH (i:_Index {_domain: $domain})
SET i._locked = true
WITH [label IN $labels WHERE label IN [i._analyser, i._next_analyser]] AS wanted
WITH wanted, [label IN $labels WHERE NOT label IN wanted] AS others
CALL () {
  MATCH (p:_Passage)
  WHERE p._domain = $domain AND p._owner > $after AND p._until > 0
  WITH DISTINCT p._domain AS domain, p._owner AS owner
  ORDER BY domain, owner
  LIMIT $limit
  RETURN owner
}
MATCH (p:_Passage)
USING INDEX p:_Passage(_domain, _owner, _until)
WHERE p._domain = $domain AND p._owner = owner AND p._until > 0
SET p:$(wanted)
REMOVE p:$(others)
RETURN max(owner) AS last
