// Notes that the next events of the log were too large for one page.
// mode: write
// params: domain
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._failures = coalesce(i._failures, 0) + 1
