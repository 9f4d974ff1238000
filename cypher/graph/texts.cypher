// The last event of live nodes, with the inline text or null. Used to search for texts that are longer than the overlap
// of windows.
// mode: read
// params: domain, ids
// returns: id, event, text
UNWIND $ids AS id
MATCH (:_Node {_domain: $domain, _id: id})
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
RETURN id, properties(e) AS event, c._text AS text
ORDER BY id
