// The names of the connection types of a domain, or of all. Each needs a constraint.
// mode: read
// params: domain
// returns: name
MATCH (t:_ConnectionType)
WHERE t._domain IS NOT NULL AND t._name IS :: STRING NOT NULL AND t._name <> '' AND coalesce(t._domain = $domain, true)
RETURN DISTINCT t._name AS name
ORDER BY name
