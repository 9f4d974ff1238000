// Names of entities, up to a limit.
// mode: read
// params: domain, limit
// returns: name
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name IS NOT NULL AND n._mentioned IS NULL
RETURN n.name AS name
LIMIT $limit
