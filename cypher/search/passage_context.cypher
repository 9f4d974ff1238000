// Passages with the passages before and after them in their sequences, in order, up to about `characters` characters on either
// side. Passages of `alone` are returned without context. Reads at most `most` rows in each direction, so that a text that was
// changed very often does not slow the search down.
// mode: read
// params: ids, alone, at, most, kept, characters
// returns: runs, texts
UNWIND $ids AS id
MATCH (p:_Passage)
WHERE elementId(p) = id
WITH p, COLLECT {
  MATCH (b:_Passage)
  USING INDEX b:_Passage(_domain, _sequence, _position, _order)
  WHERE b._domain = p._domain AND b._sequence = p._sequence AND b._position = p._position AND b._order < p._order
  WITH b
  ORDER BY b._domain DESC, b._sequence DESC, b._position DESC, b._order DESC
  LIMIT $most
  WHERE b._since <= $at AND b._until > $at
  RETURN b
  LIMIT $kept
} + COLLECT {
  MATCH (b:_Passage)
  USING INDEX b:_Passage(_domain, _sequence, _position, _order)
  WHERE b._domain = p._domain AND b._sequence = p._sequence AND b._position < p._position AND b._order IS NOT NULL
  WITH b
  ORDER BY b._domain DESC, b._sequence DESC, b._position DESC, b._order DESC
  LIMIT $most
  WHERE b._since <= $at AND b._until > $at
  RETURN b
  LIMIT $kept
} AS before, COLLECT {
  MATCH (a:_Passage)
  USING INDEX a:_Passage(_domain, _sequence, _position, _order)
  WHERE a._domain = p._domain AND a._sequence = p._sequence AND a._position = p._position AND a._order > p._order
  WITH a
  ORDER BY a._domain, a._sequence, a._position, a._order
  LIMIT $most
  WHERE a._since <= $at AND a._until > $at
  RETURN a
  LIMIT $kept
} + COLLECT {
  MATCH (a:_Passage)
  USING INDEX a:_Passage(_domain, _sequence, _position, _order)
  WHERE a._domain = p._domain AND a._sequence = p._sequence AND a._position > p._position AND a._order IS NOT NULL
  WITH a
  ORDER BY a._domain, a._sequence, a._position, a._order
  LIMIT $most
  WHERE a._since <= $at AND a._until > $at
  RETURN a
  LIMIT $kept
} AS after
WITH p, before[..$kept] AS before, after[..$kept] AS after
WITH p, before, after, [b IN before | size(b._text)] AS sizes_before, [a IN after | size(a._text)] AS sizes_after
WITH reverse([i IN range(0, size(before) - 1) WHERE reduce(n = 0, size IN sizes_before[..i] | n + size) < $characters | before[i]])
     + [p]
     + [i IN range(0, size(after) - 1) WHERE reduce(n = 0, size IN sizes_after[..i] | n + size) < $characters | after[i]] AS run
WITH collect([p IN run | elementId(p)]) AS runs, collect(run) AS found_runs
CALL (found_runs) {
  CALL (found_runs) {
    UNWIND found_runs AS run
    UNWIND run AS p
    RETURN p
    UNION ALL
    UNWIND $alone AS id
    MATCH (p:_Passage)
    WHERE elementId(p) = id
    RETURN p
  }
  WITH DISTINCT p
  RETURN collect([elementId(p), p._head, p._text, p._date]) AS texts
}
RETURN runs, texts
