// The given nodes that exist and have not changed since a log position.
// mode: read
// params: domain, ids, at
// returns: id
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
WHERE n._version <= $at
RETURN id
