// Deletes the rest of a domain: the node of its ontology, and the domain itself.
// mode: write
// params: domain
// returns: -
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (o:_Ontology {_domain: $domain})
DETACH DELETE o, d
