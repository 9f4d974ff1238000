// Returns the events with these numbers.
// mode: read
// params: domain, numbers
// returns: stored
UNWIND $numbers AS number
MATCH (e:_Event {_domain: $domain, _seq: number})
RETURN properties(e) AS stored
