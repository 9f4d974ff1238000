// Living connections without their content, as their last events have them, with the titles of their ends as those of
// them have it. Each is looked for under every connection type of the domain's ontology. An id without a live connection
// gives no row.
// mode: read
// params: domain, ids
// returns: id, type, from_id, from_title, to_id, to_title, modified, version, event
MATCH (t:_ConnectionType)
WHERE t._domain = $domain AND t._name IS NOT NULL
UNWIND $ids AS id
CALL (t, id) {
  MATCH ()-[r:$(t._name) {_domain: $domain, _id: id}]->()
  RETURN count(r) > 0 AS is_found
}
WITH id, is_found
WHERE is_found
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH id, e
WHERE e._op <> 'delete'
WITH id, e, [end IN [e._from, e._to] | head(COLLECT {
  MATCH (p:_Event)
  USING INDEX p:_Event(_domain, _subject, _seq)
  WHERE p._domain = $domain AND p._subject = end AND p._seq > 0 AND p._op <> 'delete'
  RETURN p._title
  ORDER BY p._domain DESC, p._subject DESC, p._seq DESC
  LIMIT 1
})] AS titles
RETURN id, e._type AS type, e._from AS from_id, titles[0] AS from_title, e._to AS to_id, titles[1] AS to_title,
       e._modified AS modified, e._seq AS version, properties(e) AS event
