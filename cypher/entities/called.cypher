// Entities with aliases in which one of these texts occurs, ignoring separators and case. Both sides are folded like
// `without_separators` in Python.
// mode: read
// params: domain, texts, separators, limit
// returns: name, aliases
MATCH (n:_Node)
WHERE n._domain = $domain AND n._called = true
WITH n, replace(normalize(toLower(toUpper(toLower(normalize(n.aliases))))), 'ς', 'σ') AS aliases
WITH n, reduce(text = aliases, sign IN $separators | replace(text, sign, '')) AS folded
WHERE any(text IN $texts WHERE folded CONTAINS text)
RETURN n.name AS name, n.aliases AS aliases
LIMIT $limit
