// Deletes the events in a range that a compaction up to a number removes, as `counts` counts them, and turns the
// others into snapshots without a batch. Call it for the oldest range first.
// mode: write
// params: domain, after, until, to
// returns: deleted
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq <= $until
WITH e, EXISTS {
  MATCH (l:_Event)
  USING INDEX l:_Event(_domain, _subject, _seq)
  WHERE l._domain = $domain AND l._subject = e._subject AND l._seq > e._seq AND l._seq <= $to
} OR e._op = 'delete' AND e._erased IS NULL AND e._seq < $to AS goes
WITH collect(CASE WHEN goes THEN e END) AS going, collect(CASE WHEN NOT goes THEN e END) AS staying
FOREACH (e IN staying |
  SET e._op = CASE e._op WHEN 'delete' THEN 'delete' ELSE 'snapshot' END, e._prev = null,
      e._request = null, e._refused = null)
FOREACH (e IN going | DELETE e)
RETURN size(going) AS deleted
