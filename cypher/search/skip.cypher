// Skips the next event of the log and stores its number. Rows of that event that were already written are kept.
// mode: write
// params: domain
// returns: -
MATCH (i:_Index {_domain: $domain})
CALL (i) {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > i._seq
  RETURN e._seq AS seq
  ORDER BY e._domain, e._seq
  LIMIT 1
}
SET i._seq = seq, i._skipped = coalesce(i._skipped, []) + [seq]
REMOVE i._failures, i._part
