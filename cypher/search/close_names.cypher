// Ends names with the event that changed them.
// mode: write
// params: domain, rows, open
// returns: closed
UNWIND $rows AS row
MATCH (n:_Name {_domain: $domain, _owner: row.owner, _until: $open})
WHERE n._words = row.words
SET n._until = row.until
RETURN count(*) AS closed
