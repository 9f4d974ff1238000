// Deletes the current and ended passages and names of a subject and of the subjects that any event attached to it.
// mode: write
// params: domain, subject, open
// returns: deleted
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND (e._subject = $subject OR e._from = $subject OR e._to = $subject)
WITH DISTINCT e._subject AS owner
CALL (owner) {
  OPTIONAL MATCH (n:_Name)
  WHERE n._domain = $domain AND n._owner = owner AND n._until > 0
  DELETE n
}
CALL (owner) {
  MATCH (p:_Passage)
  WHERE p._domain = $domain AND p._owner = owner AND p._until > 0
  WITH p, p._until = $open AS is_open
  DELETE p
  RETURN count(*) AS deleted, sum(CASE WHEN is_open THEN 1 ELSE 0 END) AS current
}
WITH sum(deleted) AS deleted, sum(current) AS current
OPTIONAL MATCH (i:_Index {_domain: $domain})
SET i._open = i._open - current
RETURN deleted
