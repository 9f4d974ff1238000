// The next events of a log with their inline texts, the node type of an observation, and whether the type of a node
// changed. Event numbers have no gaps: if one is missing, its commit is not visible yet. Among snapshots, the
// snapshot of an observation may come before that of its node. Returns at most `most` characters of texts, and of
// the subjects' passages, but always at least the first event.
// mode: read
// params: domain, after, limit, most, open
// returns: event, text, node_type, retyped
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after
WITH e
ORDER BY e._domain, e._seq
LIMIT $limit
WITH e, coalesce(e._content_size, 0) + 500 * COUNT { MATCH (p:_Passage {_domain: $domain, _owner: e._subject, _until: $open}) }
  + reduce(size = 0, key IN keys(e) | size + CASE WHEN e[key] IS :: STRING NOT NULL THEN size(e[key]) ELSE 8 END) AS size
WITH collect(e) AS events, collect(size) AS sizes
WITH events, reduce(sums = [0], size IN sizes | sums + [last(sums) + size]) AS sums
UNWIND range(0, size(events) - 1) AS place
WITH events[place] AS e
WHERE place = 0 OR sums[place + 1] <= $most
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
OPTIONAL CALL (e) {
  WITH e
  WHERE e._kind = 'observation'
  MATCH (n:_Event)
  USING INDEX n:_Event(_domain, _subject, _seq)
  WHERE n._domain = $domain AND n._subject = e._from AND n._seq <= e._seq AND n._type IS NOT NULL
  RETURN n._type AS before
  ORDER BY n._domain DESC, n._subject DESC, n._seq DESC
  LIMIT 1
}
OPTIONAL CALL (e, before) {
  WITH e, before
  WHERE e._kind = 'observation' AND before IS NULL
  MATCH (n:_Event)
  USING INDEX n:_Event(_domain, _subject, _seq)
  WHERE n._domain = $domain AND n._subject = e._from AND n._seq > e._seq AND n._type IS NOT NULL
  RETURN n._type AS after
  ORDER BY n._domain, n._subject, n._seq
  LIMIT 1
}
OPTIONAL CALL (e) {
  WITH e
  WHERE e._kind = 'node' AND e._op = 'update' AND e._entity IS NOT NULL
  MATCH (p:_Event {_domain: $domain, _seq: e._prev})
  RETURN p._type <> e._type AS retyped
}
RETURN properties(e) AS event, c._text AS text, coalesce(before, after) AS node_type, coalesce(retyped, false) AS retyped
ORDER BY e._domain, e._seq
