// The title of a node in any domain. No row means that the node does not exist.
// mode: read
// params: domain, id
// returns: title
MATCH (n:_Node {_domain: $domain, _id: $id})
RETURN n._title AS title
