// The last event of each of these subjects that is in the log.
// mode: read
// params: domain, subjects
// returns: subject, kind, op, type, source, target
// subjects: subjects
UNWIND $subjects AS subject
CALL (subject) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = subject AND e._seq > 0
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
RETURN subject, e._kind AS kind, e._op AS op, e._type AS type, e._from AS source, e._to AS target
