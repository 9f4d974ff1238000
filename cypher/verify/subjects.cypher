// The subjects that a domain's log has known, each once, in order, a page at a time.
// mode: read
// params: domain, after, limit
// returns: id, type
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _subject, _seq)
WHERE e._domain = $domain AND e._subject > $after AND e._seq > 0
WITH DISTINCT e._domain AS domain, e._subject AS id
ORDER BY domain, id
LIMIT $limit
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0
  RETURN e
  LIMIT 1
}
RETURN id, CASE e._kind WHEN 'connection' THEN e._type END AS type
