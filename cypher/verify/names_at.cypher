// Returns the indexed names of owners as of a log position.
// mode: read
// params: domain, owners, at
// returns: owner, name, words
UNWIND $owners AS owner
MATCH (n:_Name)
WHERE n._domain = $domain AND n._owner = owner AND n._until > $at AND n._since <= $at
RETURN owner, n._name AS name, n._words AS words
