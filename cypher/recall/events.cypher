// The next events of a log, with the small text of each and, of an observation, the type of its node. Numbers have no
// gap: where one is missing, a commit is seen by halves. Among snapshots, that of an observation may come first. Of an
// entity it says whether it is of another type than before.
// mode: read
// params: domain, after, limit
// returns: event, text, node_type, retyped
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after
WITH e
ORDER BY e._domain, e._seq
LIMIT $limit
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
OPTIONAL CALL (e) {
  WITH e
  WHERE e._kind = 'observation'
  MATCH (n:_Event)
  USING INDEX n:_Event(_domain, _subject, _seq)
  WHERE n._domain = $domain AND n._subject = e._from AND n._seq <= e._seq AND n._type IS NOT NULL
  RETURN n._type AS before
  ORDER BY n._domain DESC, n._subject DESC, n._seq DESC
  LIMIT 1
}
OPTIONAL CALL (e, before) {
  WITH e, before
  WHERE e._kind = 'observation' AND before IS NULL
  MATCH (n:_Event)
  USING INDEX n:_Event(_domain, _subject, _seq)
  WHERE n._domain = $domain AND n._subject = e._from AND n._seq > e._seq AND n._type IS NOT NULL
  RETURN n._type AS after
  ORDER BY n._domain, n._subject, n._seq
  LIMIT 1
}
OPTIONAL CALL (e) {
  WITH e
  WHERE e._kind = 'node' AND e._op = 'update' AND e._entity IS NOT NULL
  MATCH (p:_Event {_domain: $domain, _seq: e._prev})
  RETURN p._type <> e._type AS retyped
}
RETURN properties(e) AS event, c._text AS text, coalesce(before, after) AS node_type, coalesce(retyped, false) AS retyped
ORDER BY e._domain, e._seq
