// Returns the given contents that other subjects have too.
// mode: read
// params: domain, subject, hashes
// returns: sha256
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._content_sha256 IN $hashes
  AND NOT coalesce(e._subject = $subject OR e._from = $subject OR e._to = $subject, false)
RETURN DISTINCT e._content_sha256 AS sha256
