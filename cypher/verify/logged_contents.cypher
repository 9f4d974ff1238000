// The contents of these hashes that a domain's log refers to, once as text and once as bytes where it does so in both ways:
// their sizes, and the first of the subjects that have or had each. What is about to go in a compaction that was cut off is
// not looked for.
// mode: read
// params: domain, hashes
// returns: sha256, encoding, size, subject
MATCH (d:_Domain {_id: $domain})
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._content_sha256 IN $hashes
  AND (d._state = 'ready' OR e._seq > coalesce(d._compacted_to, 0))
RETURN e._content_sha256 AS sha256, e._content_encoding AS encoding, max(e._content_size) AS size,
       min(e._subject) AS subject
ORDER BY sha256, encoding
