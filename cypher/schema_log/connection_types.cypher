// The names of the connection types of a domain, or of all: each needs a constraint.
// mode: read
// params: domain
// returns: name
MATCH (t:_ConnectionType)
WHERE ($domain IS NULL OR t._domain = $domain) AND t._name IS NOT NULL
RETURN DISTINCT t._name AS name
ORDER BY name
