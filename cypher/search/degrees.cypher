// The number of current connections of nodes, each connection once.
// mode: read
// params: domain, ids
// returns: id, edges
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
RETURN id, COUNT { (n)-[r]-() WHERE r._id IS NOT NULL } AS edges
