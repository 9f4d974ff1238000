// How many observations a node has, also those that hold no more.
// mode: read
// params: domain, node
// returns: count
MATCH (n:_Node {_domain: $domain, _id: $node})
RETURN COUNT { (n)<-[:_OBSERVES]-() } AS count
