// The last change of nodes or connections as of an event number.
// mode: read
// params: domain, ids, at
// returns: id, modified
UNWIND $ids AS id
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0 AND e._seq <= $at
  RETURN e._modified AS modified
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH id, modified
WHERE modified IS NOT NULL
RETURN id, modified
