// The current end of a domain's log, and the long operation that is running in the domain, if any.
// mode: read
// params: domain
// returns: seq, ontology_version, created, state, job, events, compacted_to
MATCH (d:_Domain {_id: $domain})
RETURN d._seq AS seq, d._ontology_version AS ontology_version, d._created AS created, d._state AS state, d._job AS job,
       COUNT { MATCH (e:_Event) WHERE e._domain = $domain AND e._seq > 0 AND e._seq <= d._seq } AS events,
       d._compacted_to AS compacted_to
