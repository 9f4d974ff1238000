// Returns for each given subject with its log number: the numbers of its events from that number on, its last event,
// and the event before the first of these, with its text if that is stored in Neo4j. Rows are in the order of the
// given numbers.
// mode: read
// params: domain, subjects
// returns: subject, seqs, last, previous, text
UNWIND $subjects AS row
CALL (row) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = row.subject AND e._seq >= row.first
  WITH e
  ORDER BY e._seq
  WITH collect(e) AS events
  RETURN [e IN events | e._seq] AS seqs, properties(events[-1]) AS last, events[0]._prev AS before
}
OPTIONAL MATCH (p:_Event {_domain: $domain, _seq: before})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: p._content_sha256})
RETURN row.subject AS subject, seqs, last, properties(p) AS previous, c._text AS text
ORDER BY row.first
