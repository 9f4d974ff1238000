// Begins the index of a branch whose passages were copied: it covers the log of the branch up to a number.
// mode: write
// params: source, domain, seq, open
// returns: -
MATCH (s:_Index {_domain: $source})
CALL () {
  MATCH (p:_Passage)
  WHERE p._domain = $domain AND p._owner IS NOT NULL AND p._until = $open
  RETURN count(*) AS current
}
MERGE (i:_Index {_domain: $domain})
ON CREATE SET i._seq = $seq, i._epoch = 1, i._open = current, i._analyser = s._analyser, i._model = s._model
