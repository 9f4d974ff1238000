// The ids of the entities of a domain, up to a limit.
// mode: read
// params: domain, limit
// returns: id
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name IS NOT NULL AND n._mentioned IS NULL
RETURN n._id AS id
LIMIT $limit
