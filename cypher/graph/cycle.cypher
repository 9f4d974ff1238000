// Whether a connection of the type from one node to the other would close a cycle.
// mode: read
// params: domain, from_id, to_id, type
// returns: closes
MATCH (a:_Node {_domain: $domain, _id: $from_id})
MATCH (b:_Node {_domain: $domain, _id: $to_id})
RETURN $from_id = $to_id
       OR EXISTS { MATCH p = SHORTEST 1 (b)-[r:$($type) WHERE r._domain = $domain AND r._id IS NOT NULL]->+(a) } AS closes
