// How long a domain's log is, and what its domain node says of it.
// mode: read
// params: domain
// returns: events, last, ontology_last, seq, ontology_version
MATCH (d:_Domain {_id: $domain})
CALL () {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > 0
  RETURN count(e) AS events, coalesce(max(e._seq), 0) AS last,
         coalesce(max(CASE WHEN e._kind IN ['ontology', 'node_type', 'connection_type'] THEN e._seq END), 0)
           AS ontology_last
}
RETURN events, last, ontology_last, d._seq AS seq, d._ontology_version AS ontology_version
