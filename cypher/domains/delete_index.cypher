// Deletes the index of a domain, and returns the number of its nodes. Waits for a page that is being written.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (i:_Index {_domain: $domain})
WITH i
LIMIT $limit
DELETE i
RETURN count(*) AS deleted
