// Deletes some of the second relationships that no type needs; `needed` has the types of those that one does.
// mode: write
// params: domain, needed, limit
// returns: found
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id IS NOT NULL
MATCH (a)-[i]->(:_Node)
WHERE i._domain = $domain AND i._inverse_of IS NOT NULL AND NOT type(i) IN $needed
WITH i LIMIT $limit
DELETE i
RETURN count(*) AS found
