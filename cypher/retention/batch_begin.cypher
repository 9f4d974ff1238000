// Returns the log position before a batch that has events both before and after the given position, or no row if there
// is no such batch.
// mode: read
// params: domain, seq
// returns: before
MATCH (l:_Event {_domain: $domain, _seq: $seq})
MATCH (n:_Event {_domain: $domain, _seq: $seq + 1})
WHERE l._batch = n._batch
MATCH (b:_Event {_domain: $domain, _id: l._batch})
RETURN b._seq - 1 AS before
