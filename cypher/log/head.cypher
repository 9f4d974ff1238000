// The position of a domain's log and the version of its ontology, without the lock. The epoch changes when the domain
// is created again or repaired. `parent` is the domain's parent.
// mode: read
// params: domain
// returns: seq, ontology_version, epoch, parent
MATCH (d:_Domain {_id: $domain})
RETURN d._seq AS seq, d._ontology_version AS ontology_version,
       toString(d._created) + '/' + d._mended AS epoch, d._parent AS parent
