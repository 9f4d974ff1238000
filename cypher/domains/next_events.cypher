// For each number, in their order, the first event of a log from that number on, and its time. No row without an event.
// mode: read
// params: domain, numbers
// returns: number, seq, at
UNWIND $numbers AS number
CALL (number) {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq >= number
  RETURN e._seq AS seq, e._at AS at
  ORDER BY e._domain, e._seq
  LIMIT 1
}
RETURN number, seq, at
ORDER BY number
