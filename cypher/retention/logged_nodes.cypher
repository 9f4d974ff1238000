// The nodes of these types in the log, including deleted ones. If given, the id must begin with the prefix, and a state of the node must
// have the properties, and contain the text, which is in lower case, or have a blob, which may contain it. Each row
// contains the node's session and project, all its titles and inline texts, and the hashes of its texts that are blobs.
// mode: read
// params: domain, types, properties, text, prefix
// returns: id, type, session, project, texts, blobs
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._kind = 'node' AND e._type IN $types AND e._erased IS NULL
  AND coalesce(e._subject STARTS WITH $prefix, $prefix IS NULL)
  AND all(name IN keys($properties) WHERE e[name] = $properties[name])
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
WITH e, [text IN [e._title, e.summary, e.tool, c._text] WHERE text IS NOT NULL] AS texts,
  CASE WHEN c._text IS NULL AND e._content_encoding = 'utf-8' THEN e._content_sha256 END AS blob
WHERE blob IS NOT NULL OR coalesce(any(text IN texts WHERE toLower(text) CONTAINS $text), $text IS NULL)
UNWIND texts AS text
RETURN e._subject AS id, e._type AS type, e.session AS session, e.project AS project, collect(DISTINCT text) AS texts,
  collect(DISTINCT blob) AS blobs
