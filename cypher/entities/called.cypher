// Entities with aliases in which one of these texts occurs, ignoring separators and case. Both sides are folded like
// `without_separators` in Python.
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
