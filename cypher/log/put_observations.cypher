// Writes observations as of their last events. Indexed texts stay indexed.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_observations AS row
MATCH (n:_Node {_domain: $domain, _id: row.from})
MERGE (o:_Observation {_domain: $domain, _id: row.id})
WITH n, o, row, CASE WHEN o._folded = normalize(toLower(row.text)) THEN {_folded: o._folded, _is_long: null} ELSE {} END AS indexed
SET o = row.state, o += indexed
MERGE (o)-[:_OBSERVES]->(n)
RETURN count(*) AS found
