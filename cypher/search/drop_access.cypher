// Deletes the access count of a node.
// mode: write
// params: domain, id
// returns: -
MATCH (a:_Access {_domain: $domain, _id: $id})
DELETE a
