// Where a domain's log and ontology stand, without the lock. The epoch tells one making or mending of the domain
// from another; `parent` is the domain above.
// mode: read
// params: domain
// returns: seq, ontology_version, epoch, parent
MATCH (d:_Domain {_id: $domain})
RETURN d._seq AS seq, d._ontology_version AS ontology_version,
       toString(d._created) + '/' + d._mended AS epoch, d._parent AS parent
