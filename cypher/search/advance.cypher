// Stores the position of an index, the number of written parts of the next event's rows, and the increase of its current
// passages. A page that was written resets the batch size.
// mode: write
// params: domain, seq, part, added
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._failures = CASE WHEN i._seq < $seq AND i._failures > 1 THEN i._failures - 1 WHEN i._seq = $seq THEN i._failures END
SET i._seq = $seq, i._part = CASE WHEN $part > 0 THEN $part END, i._open = i._open + $added
