// Copies the names of owners as of an event number to a branch, where they are current.
// mode: write
// params: source, domain, owners, at, open
// returns: copied
UNWIND $owners AS owner
MATCH (n:_Name)
WHERE n._domain = $source AND n._owner = owner AND n._until > $at AND n._since <= $at
CREATE (k:_Name)
SET k = n { .*, _domain: $domain, _until: $open }
RETURN count(*) AS copied
