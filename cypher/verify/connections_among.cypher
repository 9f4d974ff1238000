// Returns the given subjects that are connections according to their last events, with their types and whether they
// exist, in one list.
// mode: read
// params: domain, ids
// returns: found
UNWIND $ids AS id
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH id, e
WHERE e._kind = 'connection'
RETURN collect([id, e._type, e._op <> 'delete']) AS found
