// Entities with other names, among which one of these texts stands somewhere, both folded as `folded` in Python does.
// mode: read
// params: domain, texts, limit
// returns: name, aliases
MATCH (n:_Node)
WHERE n._domain = $domain AND n._called = true
WITH n, replace(toLower(toUpper(normalize(n.aliases, NFKC))), 'ς', 'σ') AS folded
WHERE any(text IN $texts WHERE folded CONTAINS text)
RETURN n.name AS name, n.aliases AS aliases
LIMIT $limit
