// The ontology's own node as it is in the live graph.
// mode: read
// params: domain
// returns: stored
MATCH (o:_Ontology {_domain: $domain})
RETURN properties(o) AS stored
