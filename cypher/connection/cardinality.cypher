// Whether the source has an outgoing, and the target an incoming, connection of the type.
// mode: read
// params: domain, from_id, to_id, type
// returns: source_taken, target_taken
MATCH (a:_Node {_domain: $domain, _id: $from_id})
MATCH (b:_Node {_domain: $domain, _id: $to_id})
RETURN EXISTS { (a)-[:$($type)]->() } AS source_taken, EXISTS { ()-[:$($type)]->(b) } AS target_taken
