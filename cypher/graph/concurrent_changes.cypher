// The nodes and connections that changed within a range of log positions, in their last state up to another position,
// with inline texts. Subjects that did not exist then have no event.
// mode: read
// params: domain, after, until, at
// returns: subject, event, text
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq <= $until AND e._kind IN ['node', 'connection']
WITH DISTINCT e._subject AS subject
OPTIONAL CALL (subject) {
  MATCH (p:_Event)
  USING INDEX p:_Event(_domain, _subject, _seq)
  WHERE p._domain = $domain AND p._subject = subject AND p._seq > 0 AND p._seq <= $at
  RETURN p
  ORDER BY p._domain DESC, p._subject DESC, p._seq DESC
  LIMIT 1
}
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: p._content_sha256})
RETURN subject, properties(p) AS event, c._text AS text
