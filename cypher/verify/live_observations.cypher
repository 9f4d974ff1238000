// Returns live observations. A subject that is not a node of the domain has no id.
// mode: read
// params: domain, ids
// returns: id, about, stored
UNWIND $ids AS id
MATCH (o:_Observation {_domain: $domain, _id: id})
OPTIONAL MATCH (o)-[:_OBSERVES]->(n:_Node)
RETURN id, CASE WHEN n._domain = $domain THEN n._id END AS about, properties(o) AS stored
