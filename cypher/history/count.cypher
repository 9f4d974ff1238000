// The number of events of a domain's log between two positions.
// mode: read
// params: domain, after, before
// returns: events
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq < $before
RETURN count(e) AS events
