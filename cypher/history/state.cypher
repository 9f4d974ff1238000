// The last event of a subject up to a log position, with its inline text. No row means that the domain does not exist.
// mode: read
// params: domain, id, at
// returns: event, text
MATCH (d:_Domain {_id: $domain})
OPTIONAL CALL () {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = $id AND e._seq > 0 AND e._seq <= $at
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
RETURN properties(e) AS event, c._text AS text
