// How long a domain's log is after the number from which it is whole: the fork of a branch, or where it was compacted;
// and what its domain node says of it.
// mode: read
// params: domain
// returns: events, whole_events, whole_after, last, ontology_last, last_at, turns, seq, ontology_version, domain_last_at, domain_turns
MATCH (d:_Domain {_id: $domain})
WITH d, coalesce(d._compacted_to, d._forked_at, 0) AS whole_after
CALL (whole_after) {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > 0
  RETURN count(e) AS events, sum(CASE WHEN e._seq > whole_after THEN 1 ELSE 0 END) AS whole_events,
         coalesce(max(e._seq), 0) AS last,
         coalesce(max(CASE WHEN e._kind IN ['ontology', 'node_type', 'connection_type'] THEN e._seq END), 0)
           AS ontology_last
}
OPTIONAL MATCH (l:_Event {_domain: $domain, _seq: last})
CALL (whole_after) {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > whole_after
  MATCH (n:_Event {_domain: $domain, _seq: e._seq + 1})
  WHERE n._at < e._at
  WITH n._seq AS turn
  ORDER BY turn
  RETURN collect(turn)[-1000..] AS turns
}
RETURN events, whole_events, whole_after, last, ontology_last, l._at AS last_at, turns, d._seq AS seq, d._ontology_version AS ontology_version,
       d._last_at AS domain_last_at, [turn IN coalesce(d._turns, []) WHERE turn > whole_after + 1] AS domain_turns
