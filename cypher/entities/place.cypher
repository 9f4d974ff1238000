// The position of an entity in the order of creation.
// mode: read
// params: domain, id
// returns: created, place
MATCH (n:_Node {_domain: $domain, _id: $id})
RETURN n._created AS created, coalesce(n._place, 0) AS place
