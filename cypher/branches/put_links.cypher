// Creates the links of a branch from a range of its snapshot events. All of its nodes exist.
// mode: write
// params: domain, after, until
// returns: expected, tied
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq <= $until AND e._kind = 'link'
OPTIONAL MATCH (n:_Node {_domain: $domain, _id: e._from})
OPTIONAL MATCH (t:_Node {_domain: e._target_domain, _id: e._target})
CALL (e, n, t) {
  WITH e, n, t
  WHERE n IS NOT NULL
  CREATE (n)-[:_LINKS]->(l:_Link)
  SET l = e {
    .*, _id: e._subject, _version: e._seq, _seq: null, _op: null, _kind: null, _subject: null, _type: null,
    _from: null, _to: null, _prev: null, _at: null, _session: null, _source: null, _actor: null, _batch: null,
    _snapshot_of: null
  }
  FOREACH (target IN CASE WHEN t IS NULL THEN [] ELSE [t] END | CREATE (l)-[:_LEADS_TO]->(target))
  RETURN count(*) AS made
}
RETURN count(*) AS expected, coalesce(sum(made), 0) AS tied
