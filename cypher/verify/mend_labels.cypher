// Gives nodes the one label that they should have beside the service's own.
// mode: write
// params: domain, rows
// returns: -
UNWIND $rows AS row
MATCH (n:_Node {_domain: $domain, _id: row.id})
SET n:$(row.type)
REMOVE n:$(row.extra)
