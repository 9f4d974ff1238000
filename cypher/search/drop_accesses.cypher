// Deletes how often nodes of a domain were given to somebody that do not live any more, of some of them, and tells of how many.
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
