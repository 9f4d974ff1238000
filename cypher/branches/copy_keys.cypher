// Copies the key rows of these owners into a branch.
// mode: write
// params: source, domain, owners
// returns: copied
UNWIND $owners AS owner
MATCH (k:_Key {_domain: $source, _owner: owner})
CREATE (c:_Key)
SET c = k { .*, _domain: $domain }
RETURN count(*) AS copied
