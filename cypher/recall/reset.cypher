// Has the index of a domain made anew from the beginning of its log, unless it is being made anew already; its rows go
// first.
// mode: write
// params: domain
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._epoch = i._epoch + 1
WITH i
WHERE i._is_remade IS NULL
MATCH (d:_Domain {_id: $domain})
SET i._is_remade = true, i._is_emptied = true, i._seq = coalesce(d._forked_at, 0), i._open = 0, i._model = null
