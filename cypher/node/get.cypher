// One node's stored properties. No row: there is no such domain; a row with null: no such node.
// mode: read
// params: domain, id
// returns: stored
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (n:_Node {_domain: $domain, _id: $id})
RETURN properties(n) AS stored
