// Begins the index of a branch into which the passages of its source are copied. Until the copy has ended, or if data is
// removed from the source's index or that index is rebuilt, the index counts as one to be rebuilt.
// mode: write
// params: source, domain, at
// returns: -
MATCH (s:_Index {_domain: $source})
SET s._locked = true
MERGE (i:_Index {_domain: $domain})
ON CREATE SET i._seq = $at, i._epoch = toInteger(rand() * 1000000000000), i._open = 0, i._is_emptied = true,
              i._analyser = s._analyser, i._reading = s._reading,
              i._copied_of = CASE WHEN s._seq >= $at AND s._is_emptied IS NULL THEN s._epoch END
