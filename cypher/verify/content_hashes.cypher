// Every content hash that a domain's log refers to, each once, for content that may be in a blob.
// mode: read
// params: domain
// returns: sha256
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._content_sha256 IS NOT NULL
RETURN DISTINCT e._content_sha256 AS sha256
