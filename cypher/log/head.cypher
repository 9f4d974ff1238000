// Where a domain's log and ontology stand, without the lock.
// mode: read
// params: domain
// returns: seq, ontology_version, created
MATCH (d:_Domain {_id: $domain})
RETURN d._seq AS seq, d._ontology_version AS ontology_version, d._created AS created
