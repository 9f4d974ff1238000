// Nodes and connections that a text may refer to: by the start of their id, or by the title of a node. Each is in its
// last state, even if it was deleted or erased. An id that equals the text comes first.
// mode: read
// params: domain, text, limit
// returns: id, kind, type, title, op
CALL () {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject STARTS WITH $text AND e._seq > 0 AND e._kind IN ['node', 'connection']
  RETURN DISTINCT e._subject AS id
  ORDER BY id
  LIMIT $limit
UNION
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._id IS NOT NULL AND n._title = $text
  RETURN n._id AS id
  ORDER BY id
  LIMIT $limit
}
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH id, e
ORDER BY id = $text DESC, id
RETURN id, e._kind AS kind, e._type AS type, e._title AS title, e._op AS op
