// Deletes the search windows of the owners.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows AS row
MATCH (w:_Window {_domain: $domain, _owner: row.owner})
DELETE w
RETURN count(*) AS found
