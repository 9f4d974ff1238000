// The number of observations of a node, including ended ones.
// mode: read
// params: domain, node
// returns: count
MATCH (n:_Node {_domain: $domain, _id: $node})
RETURN COUNT { (n)<-[:_OBSERVES]-() } AS count
