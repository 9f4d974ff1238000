// Returns the ids of the events with these numbers.
// mode: read
// params: domain, numbers
// returns: seq, id
UNWIND $numbers AS number
MATCH (e:_Event {_domain: $domain, _seq: number})
RETURN e._seq AS seq, e._id AS id
