// The given nodes whose property `source` has the given value.
// mode: read
// params: domain, ids, source
// returns: id
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
WHERE n.source = $source
RETURN id
