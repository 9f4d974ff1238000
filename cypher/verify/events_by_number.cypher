// Returns events of data by number, with their small texts. For an observation, also the type that its node had after a
// number of the log.
// mode: read
// params: domain, numbers, at
// returns: event, text, node_type, retyped
UNWIND $numbers AS number
MATCH (e:_Event {_domain: $domain, _seq: number})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
OPTIONAL CALL (e) {
  WITH e
  WHERE e._kind = 'observation'
  MATCH (n:_Event)
  USING INDEX n:_Event(_domain, _subject, _seq)
  WHERE n._domain = $domain AND n._subject = e._from AND n._seq <= $at AND n._type IS NOT NULL
  RETURN n._type AS before
  ORDER BY n._domain DESC, n._subject DESC, n._seq DESC
  LIMIT 1
}
OPTIONAL CALL (e, before) {
  WITH e, before
  WHERE e._kind = 'observation' AND before IS NULL
  MATCH (n:_Event)
  USING INDEX n:_Event(_domain, _subject, _seq)
  WHERE n._domain = $domain AND n._subject = e._from AND n._seq > $at AND n._type IS NOT NULL
  RETURN n._type AS after
  ORDER BY n._domain, n._subject, n._seq
  LIMIT 1
}
RETURN properties(e) AS event, c._text AS text, coalesce(before, after) AS node_type, false AS retyped
