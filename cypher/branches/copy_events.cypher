// Writes a snapshot event into a branch for each given event of its source, with the small texts that it refers to.
// mode: write
// params: source, domain, rows, at, batch, session, source_of, actor
// returns: copied
UNWIND $rows AS row
MATCH (s:_Event {_domain: $source, _seq: row.origin})
CREATE (e:_Event)
SET e = s {
  .*, _domain: $domain, _seq: row.seq, _id: row.id, _op: 'snapshot', _prev: null, _at: $at, _batch: $batch,
  _session: $session, _source: $source_of, _actor: $actor, _request: null, _refused: null,
  _snapshot_of: row.origin
}
WITH s
MATCH (c:_Content {_domain: $source, _sha256: s._content_sha256})
MERGE (k:_Content {_domain: $domain, _sha256: c._sha256})
ON CREATE SET k._text = c._text
RETURN count(*) AS copied
