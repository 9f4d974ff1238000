// Entities with other names, among which a text stands somewhere, in lower case.
// mode: read
// params: domain, text, limit
// returns: name, aliases
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name IS NOT NULL AND n._mentioned IS NULL AND n.aliases IS :: STRING NOT NULL
  AND toLower(n.aliases) CONTAINS $text
RETURN n.name AS name, n.aliases AS aliases
LIMIT $limit
