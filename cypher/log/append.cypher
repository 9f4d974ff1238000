// Appends events to a domain's log, with their inline texts, and moves its head. Creation events may be appended by the
// projection instead. Times are strings, for speed. `turns` are the positions of events that are earlier in time than
// the previous one, because a clock was corrected, and `first` is the first event. `protects` is true if one of the
// events protects a subject. From then on, writes check protection.
// mode: write
// params: domain, first, seq, at, ontology_version, events, contents, turns, protects
// returns: -
MATCH (d:_Domain {_id: $domain})
WITH d, CASE WHEN datetime($first.at) < d._last_at THEN [$first.seq] ELSE [] END + $turns AS turns
FOREACH (_ IN CASE size(turns) WHEN 0 THEN [] ELSE [0] END | SET d._turns = (coalesce(d._turns, []) + turns)[-1000..])
SET d._seq = $seq, d._last_at = datetime($at), d._ontology_version = $ontology_version
FOREACH (_ IN CASE WHEN $protects THEN [0] ELSE [] END | SET d._has_protected = true)
WITH d
CALL () {
  UNWIND $contents AS content
  MERGE (c:_Content {_domain: $domain, _sha256: content.sha256})
  ON CREATE SET c._text = content.text
}
CALL () {
  UNWIND $events AS event
  CREATE (e:_Event)
  SET e = event,
      e._at = datetime(event._at), e._created = datetime(event._created), e._modified = datetime(event._modified)
}
