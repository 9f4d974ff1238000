// For each number, in the given order, the first event of the log with that number or a later one, its time and id. No
// row if there is no such event.
// mode: read
// params: domain, numbers
// returns: number, seq, at, id
UNWIND $numbers AS number
CALL (number) {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq >= number
  RETURN e._seq AS seq, e._at AS at, e._id AS id
  ORDER BY e._domain, e._seq
  LIMIT 1
}
RETURN number, seq, at, id
ORDER BY number
