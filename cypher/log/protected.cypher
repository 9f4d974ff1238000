// The last events of the given subjects that are protected.
// mode: read
// params: domain, subjects
// returns: stored
UNWIND $subjects AS subject
CALL (subject) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = subject AND e._seq > 0
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH e
WHERE e._protection IS NOT NULL
RETURN properties(e) AS stored
