// The nodes of these types in the log, including deleted ones. If given, a state of the node must have the session, and
// contain the text, which is in lower case. Each node has its session and project, and all its titles and inline texts.
// mode: read
// params: domain, types, session, text
// returns: id, type, session, project, texts
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._kind = 'node' AND e._type IN $types AND e._erased IS NULL
  AND coalesce(e.session = $session, $session IS NULL)
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
WITH e, [text IN [e._title, e.summary, e.tool, c._text] WHERE text IS NOT NULL] AS texts
WHERE coalesce(any(text IN texts WHERE toLower(text) CONTAINS $text), $text IS NULL)
UNWIND texts AS text
RETURN e._subject AS id, e._type AS type, e.session AS session, e.project AS project, collect(DISTINCT text) AS texts
