// The differences between two states of domains, after a subject and up to a limit: their counts by kind and
// operation, and a page in id order. Each difference contains the subject's event in both states, the last titles of
// a connection's ends or of an observation's node, and optionally the inline texts if they differ. Properties in
// `ignored` are not compared. The creation of a domain or ontology is not a difference. The statement reads the
// events of the log ranges that lead from one state to the other, or the events of one subject.
// mode: read
// params: stretches, from_domain, since, to_domain, until, subject, types, ignored, after, most, limit, texts
// returns: counts, page
CALL () {
  UNWIND $stretches AS stretch
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _seq)
  WHERE $subject IS NULL AND e._domain = stretch.domain AND e._seq > stretch.after AND e._seq <= stretch.until
    AND (e._kind <> 'domain' OR $from_domain = $to_domain) AND coalesce(e._type IN $types, $types IS NULL)
    AND e._subject > $after
  RETURN e._subject AS subject
  UNION
  WITH $subject AS subject
  WHERE subject > $after
  RETURN subject
}
WITH subject
ORDER BY subject
CALL (subject) {
  OPTIONAL MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $from_domain AND e._subject = subject AND e._seq <= $since
  RETURN CASE WHEN e._op <> 'delete' THEN e END AS a
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
CALL (subject) {
  OPTIONAL MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $to_domain AND e._subject = subject AND e._seq <= $until
  RETURN CASE WHEN e._op <> 'delete' THEN e END AS b, e._batch AS batch
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH subject, a, b, batch, coalesce(b, a) AS known, CASE
  WHEN a IS NULL AND b IS NULL THEN null
  WHEN a IS NULL THEN 'added'
  WHEN b IS NULL THEN 'removed'
  WHEN any(key IN keys(a) + keys(b) WHERE NOT key IN $ignored
           AND NOT coalesce(a[key] = b[key] AND valueType(a[key]) = valueType(b[key])
                            AND (a[key] <> 0.0 OR toString(a[key]) = toString(b[key])), false)) THEN 'changed'
END AS operation
WHERE operation IS NOT NULL AND NOT (operation = 'added' AND known._kind IN ['domain', 'ontology'])
  AND coalesce(known._type IN $types, $types IS NULL)
WITH subject, operation, a, b, known, batch
ORDER BY subject
LIMIT $most
WITH collect([subject, known._kind, operation, a, b, batch]) AS found
CALL (found) {
  UNWIND found AS one
  WITH one[1] AS kind, one[2] AS operation, count(*) AS number
  RETURN collect([kind, operation, number]) AS counts
}
CALL (found) {
  UNWIND found AS one
  WITH one
  LIMIT $limit
  WITH one[2] AS operation, one[3] AS a, one[4] AS b, one[5] AS batch, coalesce(one[4], one[3]) AS known
  CALL (known) {
    OPTIONAL MATCH (n:_Event)
    USING INDEX n:_Event(_domain, _subject, _seq)
    WHERE n._domain = known._domain AND n._subject = known._from AND n._seq > 0 AND n._title IS NOT NULL
      AND n._seq <= CASE known._domain WHEN $to_domain THEN $until ELSE $since END
    RETURN n._title AS from_title
    ORDER BY n._domain DESC, n._subject DESC, n._seq DESC
    LIMIT 1
  }
  CALL (known) {
    OPTIONAL MATCH (n:_Event)
    USING INDEX n:_Event(_domain, _subject, _seq)
    WHERE n._domain = known._domain AND n._subject = known._to AND n._seq > 0 AND n._title IS NOT NULL
      AND n._seq <= CASE known._domain WHEN $to_domain THEN $until ELSE $since END
    RETURN n._title AS to_title
    ORDER BY n._domain DESC, n._subject DESC, n._seq DESC
    LIMIT 1
  }
  WITH *, $texts AND coalesce(a._content_sha256 <> b._content_sha256, true) AS tells
  OPTIONAL MATCH (p:_Content {_domain: $from_domain, _sha256: CASE WHEN tells THEN a._content_sha256 END})
  OPTIONAL MATCH (c:_Content {_domain: $to_domain, _sha256: CASE WHEN tells THEN b._content_sha256 END})
  RETURN collect({
    operation: operation, before: properties(a), after: properties(b), from_title: from_title, to_title: to_title,
    text_before: p._text, text_after: c._text, batch: batch
  }) AS page
}
RETURN counts, page
