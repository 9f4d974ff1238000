// Nodes or connections in their state at a log position, by their last events, without content. Connections have the
// titles of their ends, which are empty if they were compacted. Events are immutable, so reads are complete. Missing
// subjects have no row. `event` contains only the needed times, because each costs the driver as much as the rest of
// a row.
// mode: read
// params: domain, kind, ids, at
// returns: id, type, title, from_id, from_title, to_id, to_title, modified, version, event
UNWIND $ids AS id
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0 AND e._seq <= $at
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH id, e
WHERE e._op <> 'delete' AND e._kind = $kind
WITH id, e, [end IN [e._from, e._to] | head(COLLECT {
  MATCH (p:_Event)
  USING INDEX p:_Event(_domain, _subject, _seq)
  WHERE p._domain = $domain AND p._subject = end AND p._seq > 0 AND p._seq <= $at AND p._op <> 'delete'
  RETURN p._title
  ORDER BY p._domain DESC, p._subject DESC, p._seq DESC
  LIMIT 1
})] AS titles
RETURN id, e._type AS type, e._title AS title, e._from AS from_id, coalesce(titles[0], '') AS from_title,
       e._to AS to_id, coalesce(titles[1], '') AS to_title, e._modified AS modified, e._seq AS version, e{.*, _at: NULL, _modified: NULL} AS event
