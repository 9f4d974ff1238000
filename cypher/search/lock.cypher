// Locks the index of a domain and returns whether it is unchanged since it was read: no page indexed, no data erased, not reset,
// and no long job running.
// mode: write
// params: domain, seq, part, epoch, state, is_emptied
// returns: is_unchanged
MATCH (i:_Index {_domain: $domain})
SET i._locked = true
WITH i
MATCH (d:_Domain {_id: $domain})
RETURN i._seq = $seq AND coalesce(i._part, 0) = $part AND i._epoch = $epoch AND d._state = $state
       AND coalesce(i._is_emptied, false) = $is_emptied AS is_unchanged
