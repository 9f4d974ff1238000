// Deletes the search windows of the owners.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.drop_windows AS row
MATCH (w:_Window {_domain: $domain, _owner: row.owner})
DELETE w
RETURN count(*) AS found
