// Makes observations what their last events say.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_observations AS row
MATCH (n:_Node {_domain: $domain, _id: row.from})
MERGE (o:_Observation {_domain: $domain, _id: row.id})
SET o = row.state
MERGE (o)-[:_OBSERVES]->(n)
RETURN count(*) AS found
