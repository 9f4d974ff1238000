// Names of entities that have a text, in lower case, somewhere in a name or the type, and their other names.
// mode: read
// params: domain, text, limit
// returns: name, aliases
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name IS NOT NULL AND n._folded CONTAINS $text
RETURN n.name AS name, CASE WHEN n.aliases IS :: STRING THEN n.aliases END AS aliases
LIMIT $limit
