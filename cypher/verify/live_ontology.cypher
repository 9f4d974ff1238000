// Returns the live node of the ontology.
// mode: read
// params: domain
// returns: stored
MATCH (o:_Ontology {_domain: $domain})
RETURN properties(o) AS stored
