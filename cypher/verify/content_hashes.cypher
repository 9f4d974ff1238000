// Returns the distinct hashes of a domain's logged contents that may be in blobs.
// mode: read
// params: domain
// returns: sha256
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._content_sha256 IS NOT NULL
RETURN DISTINCT e._content_sha256 AS sha256
