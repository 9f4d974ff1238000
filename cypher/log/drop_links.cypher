// Deletes links from the live graph.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.drop_links AS row
MATCH (l:_Link {_domain: $domain, _id: row.id})
DETACH DELETE l
RETURN count(*) AS found
