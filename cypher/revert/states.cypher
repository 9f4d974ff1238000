// The events with these numbers in the log.
// mode: read
// params: domain, numbers
// returns: stored
UNWIND $numbers AS number
MATCH (e:_Event {_domain: $domain, _seq: number})
RETURN properties(e) AS stored
