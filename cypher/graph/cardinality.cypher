// Whether the source has an outgoing, and the target an incoming, connection of the type.
// mode: read
// params: domain, from_id, to_id, type
// returns: source_taken, target_taken
MATCH (a:_Node {_domain: $domain, _id: $from_id})
MATCH (b:_Node {_domain: $domain, _id: $to_id})
RETURN EXISTS { MATCH (a)-[r:$($type)]->() WHERE r._domain = $domain AND r._id IS NOT NULL } AS source_taken,
       EXISTS { MATCH ()-[r:$($type)]->(b) WHERE r._domain = $domain AND r._id IS NOT NULL } AS target_taken
