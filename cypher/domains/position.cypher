// The last number of a domain's log, and the number of an event if one is given.
// mode: read
// params: domain, event
// returns: last, seq
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (e:_Event {_domain: $domain, _id: $event})
RETURN d._seq AS last, e._seq AS seq
