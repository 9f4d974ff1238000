// Counts the events up to a number of a domain's log and the events that a compaction would remove, and returns the
// hashes of the latter's contents. The last event of each subject stays, as its snapshot. Deletions are removed, except
// erasures and the very last event, which marks the point.
// mode: read
// params: domain, to
// returns: events, removed, hashes
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._seq <= $to
WITH e, EXISTS {
  MATCH (l:_Event)
  USING INDEX l:_Event(_domain, _subject, _seq)
  WHERE l._domain = $domain AND l._subject = e._subject AND l._seq > e._seq AND l._seq <= $to
} OR e._op = 'delete' AND e._erased IS NULL AND e._seq < $to AS goes
RETURN count(e) AS events, count(CASE WHEN goes THEN 1 END) AS removed,
       collect(DISTINCT CASE WHEN goes THEN e._content_sha256 END) AS hashes
