// Whether the log contains events of the subject.
// mode: read
// params: domain, subject
// returns: seen
// subjects: subject
RETURN EXISTS {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = $subject AND e._seq > 0
} AS seen
