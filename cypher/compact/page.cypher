// A stretch of events, in order, with their small texts.
// mode: read
// params: domain, after, until, limit
// returns: event, text
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq <= $until
WITH e
ORDER BY e._domain, e._seq
LIMIT $limit
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
RETURN properties(e) AS event, c._text AS text
ORDER BY event._seq
