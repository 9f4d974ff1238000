// Sets a domain's counters to what its log says.
// mode: write
// params: domain, seq, ontology_version
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._seq = $seq, d._ontology_version = $ontology_version
