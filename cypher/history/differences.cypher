// What differs in a domain between two points of its log: how many subjects, by kind and by what became of them; and a
// page of these in the order of their ids, each with the event that it had at either point, with the titles that the ends
// of a connection, or the node of an observation, had last, and on request with small text that differs.
// Names in `ignored` are compared with nothing. It reads the events between the points, or those of one subject.
// mode: read
// params: domain, since, until, subject, types, ignored, after, limit, texts
// returns: counts, page
CALL () {
  WITH $subject AS one
  WHERE one IS NULL
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > $since AND e._seq <= $until AND coalesce(e._type IN $types, $types IS NULL)
  RETURN e._subject AS subject, max(e._seq) AS last
  UNION ALL
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = $subject AND e._seq > $since AND e._seq <= $until
    AND coalesce(e._type IN $types, $types IS NULL)
  RETURN e._subject AS subject, max(e._seq) AS last
}
MATCH (b:_Event {_domain: $domain, _seq: last})
CALL (subject) {
  OPTIONAL MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = subject AND e._seq <= $since
  RETURN CASE WHEN e._op <> 'delete' THEN e END AS a
  ORDER BY e._seq DESC
  LIMIT 1
}
WITH subject, a, b, CASE
  WHEN a IS NULL AND b._op = 'delete' THEN null
  WHEN a IS NULL THEN 'added'
  WHEN b._op = 'delete' THEN 'removed'
  WHEN any(key IN keys(a) + keys(b) WHERE NOT key IN $ignored
           AND NOT coalesce(a[key] = b[key] AND valueType(a[key]) = valueType(b[key]), false)) THEN 'changed'
END AS operation
WHERE operation IS NOT NULL
WITH subject, operation, a, b
ORDER BY subject
WITH collect([subject, b._kind, operation, a, b]) AS found
CALL (found) {
  UNWIND found AS one
  WITH one[1] AS kind, one[2] AS operation, count(*) AS number
  RETURN collect([kind, operation, number]) AS counts
}
CALL (found) {
  UNWIND found AS one
  WITH one
  WHERE one[0] > $after
  LIMIT $limit
  WITH one[2] AS operation, one[3] AS a, one[4] AS b
  CALL (b) {
    OPTIONAL MATCH (n:_Event)
    USING INDEX n:_Event(_domain, _subject, _seq)
    WHERE n._domain = $domain AND n._subject = b._from AND n._seq <= $until AND n._title IS NOT NULL
    RETURN n._title AS from_title
    ORDER BY n._seq DESC
    LIMIT 1
  }
  CALL (b) {
    OPTIONAL MATCH (n:_Event)
    USING INDEX n:_Event(_domain, _subject, _seq)
    WHERE n._domain = $domain AND n._subject = b._to AND n._seq <= $until AND n._title IS NOT NULL
    RETURN n._title AS to_title
    ORDER BY n._seq DESC
    LIMIT 1
  }
  WITH *, $texts AND coalesce(a._content_sha256 <> b._content_sha256, true) AS tells
  OPTIONAL MATCH (p:_Content {_domain: $domain, _sha256: CASE WHEN tells THEN a._content_sha256 END})
  OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: CASE WHEN tells THEN b._content_sha256 END})
  RETURN collect({
    operation: operation, before: properties(a), after: properties(b), from_title: from_title, to_title: to_title,
    text_before: p._text, text_after: c._text
  }) AS page
}
RETURN counts, page
