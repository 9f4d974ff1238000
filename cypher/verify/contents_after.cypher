// The contents that the next events of a domain's log refer to, each once as text and once as bytes where they do so in both
// ways. What is about to go in a compaction that was cut off is not looked for.
// mode: read
// params: domain, after, limit
// returns: last, found
MATCH (d:_Domain {_id: $domain})
WITH CASE d._state WHEN 'ready' THEN 0 ELSE coalesce(d._compacted_to, 0) END AS gone
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after
WITH e, gone ORDER BY e._domain, e._seq LIMIT $limit
WITH max(e._seq) AS last, collect(CASE WHEN e._seq > gone AND e._content_sha256 IS NOT NULL THEN e END) AS those
RETURN last, COLLECT {
  UNWIND those AS e
  WITH e._content_sha256 AS sha256, e._content_encoding AS encoding, max(e._content_size) AS size, min(e._subject) AS subject
  RETURN [sha256, encoding, size, subject]
} AS found
