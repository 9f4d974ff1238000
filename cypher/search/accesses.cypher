// How often these nodes were given to somebody, and when last; those that never were are left out.
// mode: read
// params: domain, ids
// returns: id, count, last
UNWIND $ids AS id
MATCH (a:_Access {_domain: $domain, _id: id})
RETURN id, a._count AS count, a._last AS last
