// A state of a domain, given by a number of its log: its event, if that is there still, the time of the first event from
// there on, and the last until there that tells of the domain itself. That is no longer there where the log was
// compacted beyond, so it is looked for until that point, and `is_exact` says whether it is told of the state.
// mode: read
// params: domain, seq
// returns: event, at, about, is_exact, forked_from, forked_at, compacted_to
MATCH (d:_Domain {_id: $domain})
CALL () {
  MATCH (n:_Event)
  WHERE n._domain = $domain AND n._seq >= $seq
  RETURN n AS e
  ORDER BY n._domain, n._seq
  LIMIT 1
}
CALL (d) {
  MATCH (l:_Event)
  USING INDEX l:_Event(_domain, _subject, _seq)
  WHERE l._domain = $domain AND l._subject = 'domain' AND l._seq > 0
    AND l._seq <= CASE WHEN d._compacted_to > $seq THEN d._compacted_to ELSE $seq END
  RETURN l AS told
  ORDER BY l._domain DESC, l._subject DESC, l._seq DESC
  LIMIT 1
}
RETURN CASE e._seq WHEN $seq THEN e._id END AS event, e._at AS at, properties(told) AS about, told._seq <= $seq AS is_exact,
       d._forked_from AS forked_from, d._forked_at AS forked_at, coalesce(d._compacted_to, 0) AS compacted_to
