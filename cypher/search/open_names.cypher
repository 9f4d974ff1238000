// The current names of these owners.
// mode: read
// params: domain, owners, open
// returns: owner, name, words
UNWIND $owners AS owner
MATCH (n:_Name {_domain: $domain, _owner: owner, _until: $open})
RETURN owner, n._name AS name, n._words AS words
