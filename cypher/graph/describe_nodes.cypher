// Living nodes without their content, as their last events have them. An id without a live node gives no row. The event
// is found by its subject: a live node can be read by halves while it changes.
// mode: read
// params: domain, ids
// returns: id, type, title, modified, version, event
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
WITH id, e
WHERE e._op <> 'delete'
RETURN id, e._type AS type, e._title AS title, e._modified AS modified, e._seq AS version,
       properties(e) AS event
