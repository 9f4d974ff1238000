// These observations as they are in the live graph.
// mode: read
// params: domain, ids
// returns: id, about, stored
UNWIND $ids AS id
MATCH (o:_Observation {_domain: $domain, _id: id})
OPTIONAL MATCH (o)-[:_OBSERVES]->(n:_Node)
RETURN id, n._id AS about, properties(o) AS stored
