// Deletes connections from the live graph.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.drop_connections AS row
MATCH ()-[r:$(row.type) {_domain: $domain, _id: row.id}]->()
DELETE r
RETURN count(*) AS found
