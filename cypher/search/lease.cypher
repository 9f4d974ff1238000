// Takes or extends the lease on computing vectors for a domain, unless another process has it. The lease only avoids duplicate
// work.
// mode: write
// params: domain, run, milliseconds
// returns: is_ours
MATCH (i:_Index {_domain: $domain})
WITH i, i._leased_by = $run OR coalesce(i._leased_until, 0) < timestamp() AS is_ours
FOREACH (_ IN CASE WHEN is_ours THEN [0] ELSE [] END |
  SET i._leased_by = $run, i._leased_until = timestamp() + $milliseconds)
RETURN is_ours
