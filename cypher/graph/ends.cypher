// The types of two nodes, null where there is no such node.
// mode: read
// params: domain, from_id, to_id
// returns: from_type, to_type
// subjects: from_id, to_id
OPTIONAL MATCH (a:_Node {_domain: $domain, _id: $from_id})
OPTIONAL MATCH (b:_Node {_domain: $domain, _id: $to_id})
RETURN a._type AS from_type, b._type AS to_type
