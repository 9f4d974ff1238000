// Schedules a rebuild of a domain's index, if it is behind an event number or ahead of the log. With `once`, only if no rebuild
// is running. The old rows are deleted first.
// mode: write
// params: domain, below, once
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._locked = true
WITH i
MATCH (d:_Domain {_id: $domain})
WHERE (i._seq < $below OR i._seq > d._seq) AND NOT ($once AND coalesce(i._is_remade, false))
SET i._epoch = i._epoch + 1, i._is_emptied = true, i._seq = coalesce(d._forked_at, 0), i._open = 0, i._model = null
REMOVE i._part, i._failures, i._skipped
FOREACH (_ IN CASE WHEN $once THEN [0] ELSE [] END | SET i._is_remade = true)
