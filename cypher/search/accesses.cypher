// The stored access counts of nodes. Nodes without a count are omitted.
// mode: read
// params: domain, ids
// returns: id, count, last
UNWIND $ids AS id
MATCH (a:_Access {_domain: $domain, _id: id})
RETURN id, a._count AS count, a._last AS last
