// Returns the given subjects that have changed since a position of the log.
// mode: read
// params: source, at, ids
// returns: subject
UNWIND $ids AS subject
WITH subject
WHERE EXISTS {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $source AND e._subject = subject AND e._seq > $at
}
RETURN subject
