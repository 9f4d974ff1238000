// Returns the last events of subjects in the logs of the base and the source, each up to a position, and in the
// target's log. Unless `all` is true, subjects that are the same in the base and the source are left out. Names in
// `ignored` are not compared.
// mode: read
// params: domain, base, base_seq, source, source_seq, subjects, ignored, all
// returns: subject, base_event, ours, theirs
UNWIND $subjects AS subject
CALL (subject) {
  OPTIONAL MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $base AND e._subject = subject AND e._seq > 0 AND e._seq <= $base_seq
  RETURN e AS b
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
CALL (subject) {
  OPTIONAL MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $source AND e._subject = subject AND e._seq > 0 AND e._seq <= $source_seq
  RETURN e AS t
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH subject, b, t, coalesce(b._op, 'delete') <> 'delete' AS was, coalesce(t._op, 'delete') <> 'delete' AS is
WHERE $all OR was <> is OR (was AND any(
  key IN keys(b) + keys(t)
  WHERE NOT key IN $ignored
    AND NOT coalesce(b[key] = t[key] AND valueType(b[key]) = valueType(t[key])
                     AND (b[key] <> 0.0 OR toString(b[key]) = toString(t[key])), false)
))
CALL (subject) {
  OPTIONAL MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = subject AND e._seq > 0
  RETURN e AS o
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
RETURN subject, properties(b) AS base_event, properties(o) AS ours, properties(t) AS theirs
