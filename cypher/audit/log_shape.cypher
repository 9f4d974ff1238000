// How long a domain's log is, and what its domain node says of it.
// mode: read
// params: domain
// returns: events, last, ontology_last, last_at, seq, ontology_version, domain_last_at
MATCH (d:_Domain {_id: $domain})
CALL () {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > 0
  RETURN count(e) AS events, coalesce(max(e._seq), 0) AS last, max(e._at) AS last_at,
         coalesce(max(CASE WHEN e._kind IN ['ontology', 'node_type', 'connection_type'] THEN e._seq END), 0)
           AS ontology_last
}
RETURN events, last, ontology_last, last_at, d._seq AS seq, d._ontology_version AS ontology_version,
       d._last_at AS domain_last_at
