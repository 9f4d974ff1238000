// Deletes access counts of deleted nodes of a domain, up to a limit, and returns their number.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (a:_Access)
USING INDEX a:_Access(_domain, _id)
WHERE a._domain = $domain AND a._id IS NOT NULL AND a._together IS NULL AND NOT EXISTS { MATCH (n:_Node {_domain: $domain, _id: a._id}) }
WITH a
LIMIT $limit
DELETE a
RETURN count(*) AS deleted
