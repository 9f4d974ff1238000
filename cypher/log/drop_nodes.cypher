// Deletes nodes from the live graph, including relationships that users created with Cypher.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.drop_nodes AS row
MATCH (n:_Node {_domain: $domain, _id: row.id})
DETACH DELETE n
RETURN count(*) AS found
