// Sets a domain's counters from its log, and invalidates the cached ontology in all processes.
// mode: write
// params: domain, seq, ontology_version, last_at, turns
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._seq = $seq, d._ontology_version = $ontology_version, d._last_at = $last_at, d._mended = d._mended + 1,
    d._turns = CASE size($turns) WHEN 0 THEN null ELSE $turns END,
    d._versions = head(COLLECT { MATCH (:_Ontology {_domain: $domain})-[:_DEFINES]->(t) RETURN sum(t._version) })
