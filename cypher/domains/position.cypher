// Where a domain's log ends, and the place of an event in it if one is named.
// mode: read
// params: domain, event
// returns: last, seq
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (e:_Event {_domain: $domain, _id: $event})
RETURN d._seq AS last, e._seq AS seq
