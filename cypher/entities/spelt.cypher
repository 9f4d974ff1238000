// Names of entities that begin with one of these characters and equal this text, ignoring separators and case. Both are
// folded like `without_separators` in Python.
// mode: read
// params: domain, firsts, text, separators
// returns: name
UNWIND $firsts AS first
MATCH (n:_Node)
WHERE n._domain = $domain AND n._entity_name STARTS WITH first AND n._mentioned IS NULL
WITH n, replace(normalize(toLower(toUpper(toLower(normalize(n.name))))), 'ς', 'σ') AS name
WHERE reduce(text = name, sign IN $separators | replace(text, sign, '')) = $text
RETURN n.name AS name
