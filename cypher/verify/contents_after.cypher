// Returns the contents of the next events of a domain's log, once per subject and encoding. Contents that an interrupted
// compaction is going to delete are left out.
// mode: read
// params: domain, after, limit
// returns: last, rows
MATCH (d:_Domain {_id: $domain})
WITH CASE d._state WHEN 'ready' THEN 0 ELSE coalesce(d._compacted_to, 0) END AS compacted_to
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after
WITH e, compacted_to ORDER BY e._domain, e._seq LIMIT $limit
RETURN max(e._seq) AS last, collect(DISTINCT CASE
  WHEN e._seq > compacted_to AND e._content_sha256 IS NOT NULL
    THEN [e._content_sha256, e._content_encoding, e._content_size, e._subject]
END) AS rows
