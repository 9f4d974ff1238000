// Deletes how often a node was given to somebody.
// mode: write
// params: domain, id
// returns: -
MATCH (a:_Access {_domain: $domain, _id: $id})
DELETE a
