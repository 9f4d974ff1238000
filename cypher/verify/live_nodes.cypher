// Returns live nodes.
// mode: read
// params: domain, ids
// returns: id, labels, stored
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
RETURN id, labels(n) AS labels, properties(n) AS stored
