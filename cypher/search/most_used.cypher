// The most often returned nodes of a domain that still exist, most often first.
// mode: read
// params: domain, limit
// returns: id, count, last
MATCH (a:_Access)
USING INDEX a:_Access(_domain, _count)
WHERE a._domain = $domain AND a._count > 0
MATCH (n:_Node {_domain: $domain, _id: a._id})
RETURN a._id AS id, a._count AS count, a._last AS last
ORDER BY a._count DESC, a._last DESC, a._id
LIMIT $limit
