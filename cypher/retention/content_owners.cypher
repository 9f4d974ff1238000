// Returns the nodes and connections whose events have contents with these hashes, each with its last title.
// mode: read
// params: domain, hashes
// returns: sha256, subject, title
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._content_sha256 IN $hashes
WITH e ORDER BY e._seq DESC
RETURN e._content_sha256 AS sha256, e._subject AS subject, head(collect(e._title)) AS title
