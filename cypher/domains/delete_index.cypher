// Deletes the index of a domain, and returns how many nodes it had. It waits for a page that is being written.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (i:_Index {_domain: $domain})
WITH i
LIMIT $limit
DELETE i
RETURN count(*) AS deleted
