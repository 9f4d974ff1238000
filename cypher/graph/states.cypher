// The last events of subjects up to a log position. Missing subjects have no row.
// mode: read
// params: domain, ids, at
// returns: event
UNWIND $ids AS id
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0 AND e._seq <= $at
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH e
WHERE e._op <> 'delete'
RETURN properties(e) AS event
