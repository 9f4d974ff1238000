// Creates the observations of a branch from a range of its snapshot events. All of its nodes exist.
// mode: write
// params: domain, after, until
// returns: expected, tied
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq <= $until AND e._kind = 'observation'
OPTIONAL MATCH (n:_Node {_domain: $domain, _id: e._from})
CALL (e, n) {
  WITH e, n
  WHERE n IS NOT NULL
  CREATE (o:_Observation)-[:_OBSERVES]->(n)
  SET o = e {
    .*, _id: e._subject, _version: e._seq, _seq: null, _op: null, _kind: null, _subject: null, _type: null,
    _from: null, _to: null, _prev: null, _at: null, _session: null, _source: null, _actor: null, _batch: null,
    _snapshot_of: null, _is_long: size(e._text) > 8000
  }
  RETURN count(*) AS made
}
RETURN count(*) AS expected, coalesce(sum(made), 0) AS tied
