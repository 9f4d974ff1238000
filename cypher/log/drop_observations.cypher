// Deletes observations from the live graph.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.drop_observations AS row
MATCH (o:_Observation {_domain: $domain, _id: row.id})
DETACH DELETE o
RETURN count(*) AS found
