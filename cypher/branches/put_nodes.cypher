// Creates the nodes of a branch from its snapshot events, and connects links from other domains to them.
// mode: write
// params: domain, seqs
// returns: found
UNWIND $seqs AS seq
MATCH (e:_Event {_domain: $domain, _seq: seq})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: CASE e._content_encoding WHEN 'utf-8' THEN e._content_sha256 END})
CREATE (n:_Node:$(e._type))
SET n = e {
  .*, _id: e._subject, _version: e._seq, _content: c._text, _seq: null, _op: null, _kind: null, _subject: null,
  _from: null, _to: null, _prev: null, _at: null, _session: null, _source: null, _actor: null, _batch: null,
  _snapshot_of: null,
  _entity_name: CASE WHEN e._entity IS NOT NULL
    THEN CASE WHEN size(e.name) <= 1000 THEN e.name ELSE toString(size(e.name)) END END,
  _is_long: CASE WHEN e._mentioned IS NULL THEN size(
    e.name + '\n' + e._entity + CASE WHEN e.aliases IS :: STRING NOT NULL THEN '\n' + e.aliases ELSE '' END
  ) > 8000 END,
  _called: CASE WHEN e._entity IS NOT NULL AND e._mentioned IS NULL AND e.aliases IS :: STRING NOT NULL THEN true END
}
WITH n
CALL (n) {
  MATCH (l:_Link {_target_domain: n._domain, _target: n._id})
  MERGE (l)-[:_LEADS_TO]->(n)
}
RETURN count(*) AS found
