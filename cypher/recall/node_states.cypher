// The properties of nodes after each of their last changes up to a number of the log, oldest change first.
// mode: read
// params: domain, ids, at, limit
// returns: id, modified, facts
UNWIND $ids AS id
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0 AND e._seq <= $at
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT $limit
}
WITH id, e, properties(e) AS p
ORDER BY id, e._seq
WHERE p._op <> 'delete' AND p._kind = 'node' AND p._modified IS NOT NULL
RETURN id, p._modified.epochMillis AS modified, [key IN keys(p) WHERE NOT (key STARTS WITH '_' OR key = 'different_from_ids') | [key, p[key]]] AS facts
