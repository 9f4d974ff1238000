// The types of the given nodes that exist.
// mode: read
// params: domain, ids
// returns: id, type
// subjects: ids
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
RETURN n._id AS id, n._type AS type
