// What the log last said of a subject up to a number, with its text where that is small. No row: there is no such domain.
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
