// Passages, those of `alone` by themselves, each of the others with those before and after it in its sequence, nearest first and up to about so many characters; of each
// how near its vector is, and how many passages its owner has. Walks no farther than `most` rows, so that a text that was
// changed very often does not hold up the search.
// mode: read
// params: ids, alone, vector, model, at, most, characters
// returns: runs, passages
UNWIND $ids AS id
MATCH (p:_Passage)
WHERE elementId(p) = id
WITH p, COLLECT {
  CALL (p) {
    MATCH (b:_Passage)
    USING INDEX b:_Passage(_domain, _sequence, _position, _order)
    WHERE b._domain = p._domain AND b._sequence = p._sequence AND b._position = p._position AND b._order < p._order
    RETURN b
    ORDER BY b._domain DESC, b._sequence DESC, b._position DESC, b._order DESC
    LIMIT $most
    UNION ALL
    MATCH (b:_Passage)
    USING INDEX b:_Passage(_domain, _sequence, _position, _order)
    WHERE b._domain = p._domain AND b._sequence = p._sequence AND b._position < p._position AND b._order IS NOT NULL
    RETURN b
    ORDER BY b._domain DESC, b._sequence DESC, b._position DESC, b._order DESC
    LIMIT $most
  }
  WITH b
  WHERE b._since <= $at AND b._until > $at
  RETURN b
  LIMIT 10
} AS before, COLLECT {
  CALL (p) {
    MATCH (a:_Passage)
    USING INDEX a:_Passage(_domain, _sequence, _position, _order)
    WHERE a._domain = p._domain AND a._sequence = p._sequence AND a._position = p._position AND a._order > p._order
    RETURN a
    ORDER BY a._domain, a._sequence, a._position, a._order
    LIMIT $most
    UNION ALL
    MATCH (a:_Passage)
    USING INDEX a:_Passage(_domain, _sequence, _position, _order)
    WHERE a._domain = p._domain AND a._sequence = p._sequence AND a._position > p._position AND a._order IS NOT NULL
    RETURN a
    ORDER BY a._domain, a._sequence, a._position, a._order
    LIMIT $most
  }
  WITH a
  WHERE a._since <= $at AND a._until > $at
  RETURN a
  LIMIT 10
} AS after
WITH p,
     [i IN range(0, size(before) - 1) WHERE reduce(n = 0, b IN before[..i] | n + size(b._text)) < $characters | before[i]] AS before,
     [i IN range(0, size(after) - 1) WHERE reduce(n = 0, a IN after[..i] | n + size(a._text)) < $characters | after[i]] AS after
WITH reverse(before) + [p] + after AS run
WITH collect([p IN run | elementId(p)]) AS runs, collect(run) AS found
CALL (found) {
  CALL (found) {
    UNWIND found AS run
    UNWIND run AS p
    RETURN p
    UNION ALL
    UNWIND $alone AS id
    MATCH (p:_Passage)
    WHERE elementId(p) = id
    RETURN p
  }
  WITH DISTINCT p
  CALL (p) {
    MATCH (o:_Passage {_domain: p._domain, _owner: p._owner})
    WHERE o._until > $at AND o._since <= $at
    RETURN count(*) AS of_owner
  }
  RETURN collect(p {
    id: elementId(p), owner: p._owner, owner_kind: p._owner_kind, unit: p._unit, type: p._type, place: p._place, head: p._head,
    text: p._text, date: p._date, created: p._created, valid_from: p._valid_from, valid_to: p._valid_to, of_owner: of_owner,
    cosine: CASE WHEN $vector IS NOT NULL AND p._model = $model THEN 2 * vector.similarity.cosine(p._embedding, $vector) - 1 END
  }) AS passages
}
RETURN runs, passages
