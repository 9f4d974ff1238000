// Entities with other names, among which one of these texts stands somewhere once separators and capitals are gone. Both are
// folded as `without_separators` in Python does it.
// mode: read
// params: domain, texts, separators, limit
// returns: name, aliases
MATCH (n:_Node)
WHERE n._domain = $domain AND n._called = true
WITH n, reduce(names = normalize(n.aliases, NFC), sign IN $separators | replace(names, sign, '')) AS names
WITH n, replace(toLower(toUpper(toLower(names))), 'ς', 'σ') AS folded
WHERE any(text IN $texts WHERE folded CONTAINS text)
RETURN n.name AS name, n.aliases AS aliases
LIMIT $limit
