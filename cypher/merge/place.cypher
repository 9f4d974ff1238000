// A state of a domain, given by a number of its log: that event, and the last until there that tells of the domain itself.
// mode: read
// params: domain, seq
// returns: event, at, about
MATCH (e:_Event {_domain: $domain, _seq: $seq})
CALL () {
  MATCH (d:_Event)
  USING INDEX d:_Event(_domain, _subject, _seq)
  WHERE d._domain = $domain AND d._subject = 'domain' AND d._seq > 0 AND d._seq <= $seq
  RETURN d AS told
  ORDER BY d._domain DESC, d._subject DESC, d._seq DESC
  LIMIT 1
}
RETURN e._id AS event, e._at AS at, properties(told) AS about
