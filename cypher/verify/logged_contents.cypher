// Returns the logged contents with these hashes, once as text and once as bytes if both are logged: their sizes, and the
// first subject that has or had each. Contents that an interrupted compaction is going to delete are left out.
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
