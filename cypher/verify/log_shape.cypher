// Returns the counts and times of a domain's log after the number from which it is complete, the fork of a branch or the
// last compaction, and the counters of its domain node. Times are compared in parts of the log, each with the last event
// of the part before.
// mode: read
// params: domain
// returns: events, whole_events, whole_after, last, ontology_last, last_at, turns, seq, ontology_version, domain_last_at, domain_turns
MATCH (d:_Domain {_id: $domain})
WITH d, coalesce(d._compacted_to, d._forked_at, 0) AS whole_after
CALL (whole_after) {
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > 0
  RETURN count(e) AS events, sum(CASE WHEN e._seq > whole_after THEN 1 ELSE 0 END) AS whole_events,
         coalesce(max(e._seq), 0) AS last
}
CALL () {
  UNWIND ['ontology', 'node_type/', 'connection_type/'] AS beginning
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject STARTS WITH beginning AND e._seq > 0
    AND e._kind IN ['ontology', 'node_type', 'connection_type']
  RETURN coalesce(max(e._seq), 0) AS ontology_last
}
OPTIONAL MATCH (l:_Event {_domain: $domain, _seq: last})
CALL (whole_after, last) {
  UNWIND range(whole_after, last, 5000) AS start
  CALL (whole_after, start) {
    MATCH (e:_Event)
    WHERE e._domain = $domain AND e._seq > whole_after AND e._seq >= start AND e._seq <= start + 5000
    WITH e ORDER BY e._domain, e._seq
    WITH collect([e._seq, e._at]) AS those
    RETURN [place IN range(1, size(those) - 1)
      WHERE those[place][1] < those[place - 1][1] AND those[place][0] = those[place - 1][0] + 1 | those[place][0]] AS some
  }
  UNWIND some AS turn
  WITH turn ORDER BY turn
  RETURN collect(turn)[-1000..] AS turns
}
RETURN events, whole_events, whole_after, last, ontology_last, l._at AS last_at, turns, d._seq AS seq, d._ontology_version AS ontology_version,
       d._last_at AS domain_last_at, [turn IN coalesce(d._turns, []) WHERE turn > whole_after + 1] AS domain_turns
