// Returns the given contents that remaining events still refer to if a domain is compacted up to a log position.
// mode: read
// params: domain, to, hashes
// returns: sha256
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._content_sha256 IN $hashes
  AND (e._seq > $to OR NOT EXISTS {
    MATCH (l:_Event)
    USING INDEX l:_Event(_domain, _subject, _seq)
    WHERE l._domain = $domain AND l._subject = e._subject AND l._seq > e._seq AND l._seq <= $to
  })
RETURN DISTINCT e._content_sha256 AS sha256
