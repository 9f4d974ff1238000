// Moves the next passages, from an owner on, to the indexes of the domain's analysers and out of all others. Returns the last
// owner.
// mode: write
// params: domain, labels, after, limit
// returns: last
MATCH (i:_Index {_domain: $domain})
SET i._locked = true
WITH [label IN $labels WHERE label IN [coalesce(i._analyser, '_English'), i._next_analyser]] AS wanted
WITH wanted, [label IN $labels WHERE NOT label IN wanted] AS others
CALL (wanted, others) {
  MATCH (p:_Passage)
  USING INDEX p:_Passage(_domain, _owner, _until)
  WHERE p._domain = $domain AND p._owner >= $after AND p._until > 0
    AND (any(label IN wanted WHERE NOT label IN labels(p)) OR any(label IN others WHERE label IN labels(p)))
  RETURN p
  ORDER BY p._domain, p._owner, p._until
  LIMIT $limit
}
SET p:$(wanted)
REMOVE p:$(others)
RETURN max(p._owner) AS last
