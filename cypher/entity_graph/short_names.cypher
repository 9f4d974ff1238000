// Names of entities that begin with one of these characters and have at most `longest` characters, up to a limit.
// mode: read
// params: domain, firsts, longest, limit
// returns: name
UNWIND $firsts AS first
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name STARTS WITH first AND n._mentioned IS NULL AND size(n.name) <= $longest
RETURN n.name AS name
LIMIT $limit
