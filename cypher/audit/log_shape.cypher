// How long a domain's log is after the number from which it is whole: the fork of a branch, or where it was compacted;
// and what its domain node says of it.
// mode: read
// params: domain
// returns: events, whole_events, whole_after, last, ontology_last, last_at, seq, ontology_version, domain_last_at
MATCH (d:_Domain {_id: $domain})
WITH d, coalesce(d._compacted_to, d._forked_at, 0) AS whole_after
CALL (whole_after) {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > 0
  RETURN count(e) AS events, sum(CASE WHEN e._seq > whole_after THEN 1 ELSE 0 END) AS whole_events,
         coalesce(max(e._seq), 0) AS last, max(e._at) AS last_at,
         coalesce(max(CASE WHEN e._kind IN ['ontology', 'node_type', 'connection_type'] THEN e._seq END), 0)
           AS ontology_last
}
RETURN events, whole_events, whole_after, last, ontology_last, last_at, d._seq AS seq, d._ontology_version AS ontology_version,
       d._last_at AS domain_last_at
