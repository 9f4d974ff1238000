// Deletes the index of a domain, and tells how many nodes that were. A page of it that is being written comes first.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (i:_Index {_domain: $domain})
WITH i
LIMIT $limit
DELETE i
RETURN count(*) AS deleted
