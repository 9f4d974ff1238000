// The states of nodes or connections as of a log position. Connections have the titles of their ends. Times are in
// milliseconds, because the driver reads times slowly. A subject that did not exist has no row.
// mode: read
// params: domain, kind, ids, at
// returns: id, type, title, path, summary, tags, facts, created, modified, valid_from, valid_to, from_id, from_title, to_id, to_title, session, has_content
UNWIND $ids AS id
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0 AND e._seq <= $at
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH id, properties(e) AS e
WHERE e._op <> 'delete' AND e._kind = $kind
WITH id, e, [end IN CASE WHEN $kind = 'connection' THEN [e._from, e._to] ELSE [] END | head(COLLECT {
  MATCH (p:_Event)
  USING INDEX p:_Event(_domain, _subject, _seq)
  WHERE p._domain = $domain AND p._subject = end AND p._seq > 0 AND p._seq <= $at AND p._op <> 'delete'
  RETURN p._title
  ORDER BY p._domain DESC, p._subject DESC, p._seq DESC
  LIMIT 1
})] AS titles
RETURN id, e._type AS type, coalesce(e._title, '') AS title, coalesce(e._path, '') AS path,
       coalesce(e._content_summary, '') AS summary, coalesce(e._tags, []) AS tags,
       [key IN keys(e) WHERE NOT (key STARTS WITH '_' OR key = 'different_from_ids') | [key, e[key]]] AS facts, e._created.epochMillis AS created,
       e._modified.epochMillis AS modified, e._valid_from.epochMillis AS valid_from,
       e._valid_to.epochMillis AS valid_to, e._from AS from_id, coalesce(titles[0], '') AS from_title, e._to AS to_id,
       coalesce(titles[1], '') AS to_title, e._session AS session, e._content_sha256 IS NOT NULL AS has_content
