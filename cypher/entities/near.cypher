// Names of entities that have a text, in lower case, somewhere in the name or type.
// mode: read
// params: domain, text, limit
// returns: name
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name IS NOT NULL AND n._folded CONTAINS $text
RETURN n.name AS name
LIMIT $limit
