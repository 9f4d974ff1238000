// Adds events to the domain's log, with the small texts that they refer to. Times come as text, for speed.
// mode: write
// params: domain, seq, at, ontology_version, events, contents
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._seq = $seq, d._last_at = $at, d._ontology_version = $ontology_version
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
