// Returns the subjects that exist according to the events with these numbers of a domain's log, with the types of
// connections, in one list.
// mode: read
// params: domain, numbers
// returns: found
UNWIND $numbers AS number
MATCH (e:_Event {_domain: $domain, _seq: number})
WHERE coalesce(e._op <> 'delete', true)
RETURN collect([e._subject, CASE e._kind WHEN 'connection' THEN e._type END]) AS found
