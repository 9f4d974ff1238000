// Takes or extends the lease on indexing a domain in the background, and returns its number, which grows with each take-over; 0
// if another process has it.
// mode: write
// params: domain, run, milliseconds
// returns: lease
MATCH (i:_Index {_domain: $domain})
SET i._locked = true
WITH i, coalesce(i._leased_by, '') = $run AS is_ours, coalesce(i._leased_until, 0) < timestamp() AS is_over
FOREACH (_ IN CASE WHEN is_over AND NOT is_ours THEN [0] ELSE [] END |
  SET i._leased_by = $run, i._lease = coalesce(i._lease, 0) + 1)
FOREACH (_ IN CASE WHEN is_over OR is_ours THEN [0] ELSE [] END | SET i._leased_until = timestamp() + $milliseconds)
RETURN CASE WHEN is_over OR is_ours THEN i._lease ELSE 0 END AS lease
