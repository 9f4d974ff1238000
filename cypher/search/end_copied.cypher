// Notes that the passages of a branch were copied, all of one index: its own covers the log of the branch up to a number.
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
