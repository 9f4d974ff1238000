// Deletes what is left of a domain: its ontology's own node and the domain itself.
// mode: write
// params: domain
// returns: -
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (o:_Ontology {_domain: $domain})
DETACH DELETE o, d
