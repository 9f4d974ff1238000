// Entities with other names, among which one of these texts, in lower case, stands somewhere.
// mode: read
// params: domain, texts, limit
// returns: name, aliases
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name IS NOT NULL AND n._mentioned IS NULL AND n.aliases IS :: STRING NOT NULL
  AND any(text IN $texts WHERE toLower(n.aliases) CONTAINS text)
RETURN n.name AS name, n.aliases AS aliases
LIMIT $limit
