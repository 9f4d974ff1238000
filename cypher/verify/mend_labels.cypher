// Sets the labels of nodes to their type and the service's own label.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MATCH (n:_Node {_domain: $domain, _id: row.id})
SET n:$(row.type)
REMOVE n:$(row.extra)
