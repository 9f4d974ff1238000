// Deletes the keys of the owners.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.drop_keys AS row
MATCH (k:_Key {_domain: $domain, _owner: row.owner})
DELETE k
RETURN count(*) AS found
