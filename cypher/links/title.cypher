// The title of a node of any domain; no row where it is not there.
// mode: read
// params: domain, id
// returns: title
MATCH (n:_Node {_domain: $domain, _id: $id})
RETURN n._title AS title
