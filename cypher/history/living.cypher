// Which of these nodes exist.
// mode: read
// params: domain, ids
// returns: id
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
RETURN n._id AS id
