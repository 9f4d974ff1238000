// Returns the state of a domain at a number of its log: its event if the log still contains it, the time of the
// first event from that number on, and the last state of the domain itself up to that number. If the log was
// compacted beyond the number, the domain's state is searched up to the compacted number, and `is_exact` is false if
// the state found is later than the given number.
// mode: read
// params: domain, seq
// returns: event, at, domain_state, is_exact, forked_from, forked_at, compacted_to
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
  RETURN l AS state
  ORDER BY l._domain DESC, l._subject DESC, l._seq DESC
  LIMIT 1
}
RETURN CASE e._seq WHEN $seq THEN e._id END AS event, e._at AS at, properties(state) AS domain_state,
       state._seq <= $seq AS is_exact, d._forked_from AS forked_from, d._forked_at AS forked_at,
       coalesce(d._compacted_to, 0) AS compacted_to
