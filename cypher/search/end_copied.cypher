// Marks the index of a branch as covering its log up to an event number, if all its passages were copied from one index.
// mode: write
// params: source, domain, seq, open
// returns: -
MATCH (s:_Index {_domain: $source})
SET s._locked = true
WITH s
MATCH (i:_Index {_domain: $domain})
WHERE i._copied_of = s._epoch
CALL () {
  MATCH (p:_Passage)
  WHERE p._domain = $domain AND p._owner IS NOT NULL AND p._until = $open
  RETURN count(*) AS current
}
SET i._seq = $seq, i._open = current, i._model = s._model
REMOVE i._is_emptied, i._copied_of
