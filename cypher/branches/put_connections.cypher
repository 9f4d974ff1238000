// Creates the connections of a branch from a range of its snapshot events. All of its nodes exist.
// mode: write
// params: domain, after, until
// returns: expected, tied
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq <= $until AND e._kind = 'connection'
OPTIONAL MATCH (a:_Node {_domain: $domain, _id: e._from})
OPTIONAL MATCH (b:_Node {_domain: $domain, _id: e._to})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: CASE e._content_encoding WHEN 'utf-8' THEN e._content_sha256 END})
CALL (e, a, b, c) {
  WITH e, a, b, c
  WHERE a IS NOT NULL AND b IS NOT NULL
  CREATE (a)-[r:$(e._type)]->(b)
  SET r = e {
    .*, _id: e._subject, _version: e._seq, _content: c._text, _seq: null, _op: null, _kind: null, _subject: null,
    _from: null, _to: null, _prev: null, _at: null, _session: null, _source: null, _actor: null, _batch: null,
    _snapshot_of: null
  }
  RETURN count(*) AS made
}
RETURN count(*) AS expected, coalesce(sum(made), 0) AS tied
