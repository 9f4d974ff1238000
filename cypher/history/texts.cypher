// Nodes that changed since a log position, in id order, in their former state with inline texts. There is no event if
// the node did not exist.
// mode: read
// params: domain, at, type, after, limit
// returns: id, event, text
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $at AND e._kind = 'node' AND e._subject > $after
  AND (coalesce(e._type = $type, true) OR e._entity IS NOT NULL)
WITH DISTINCT e._subject AS id
ORDER BY id
LIMIT $limit
OPTIONAL CALL (id) {
  MATCH (p:_Event)
  USING INDEX p:_Event(_domain, _subject, _seq)
  WHERE p._domain = $domain AND p._subject = id AND p._seq > 0 AND p._seq <= $at
  RETURN p
  ORDER BY p._domain DESC, p._subject DESC, p._seq DESC
  LIMIT 1
}
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: p._content_sha256})
RETURN id, CASE WHEN coalesce(p._type = $type, true) THEN properties(p) END AS event, c._text AS text
ORDER BY id
