// A page of a domain's log with the previous content of each event's subject. Most times are strings, for speed.
// mode: read
// params: domain, after, until, limit
// returns: event, before
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq <= $until
WITH e
ORDER BY e._domain, e._seq
LIMIT $limit
OPTIONAL MATCH (p:_Event {_domain: $domain, _seq: e._prev})
WITH e, p
ORDER BY e._seq
RETURN e { .*, _at: toString(e._at), _created: toString(e._created), _modified: toString(e._modified) } AS event,
       p { ._content_sha256, ._content_encoding } AS before
