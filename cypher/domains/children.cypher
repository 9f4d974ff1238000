// The names of the domains under a domain, in order.
// mode: read
// params: domain
// returns: name
MATCH (d:_Domain)
WHERE d._parent = $domain
RETURN d._id AS name
ORDER BY name
