// The contents that the next events of a domain's log refer to, each once for a subject and an encoding. What is about
// to go in a compaction that was cut off is not looked for.
// mode: read
// params: domain, after, limit
// returns: last, found
MATCH (d:_Domain {_id: $domain})
WITH CASE d._state WHEN 'ready' THEN 0 ELSE coalesce(d._compacted_to, 0) END AS gone
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after
WITH e, gone ORDER BY e._domain, e._seq LIMIT $limit
RETURN max(e._seq) AS last, collect(DISTINCT CASE
  WHEN e._seq > gone AND e._content_sha256 IS NOT NULL
    THEN [e._content_sha256, e._content_encoding, e._content_size, e._subject]
END) AS found
