// Locks the index of a domain, and returns whether no other process has taken its lease since the lease with this number.
// mode: write
// params: domain, lease
// returns: has_lease
MATCH (i:_Index {_domain: $domain})
SET i._locked = true
RETURN coalesce(i._lease, 0) = $lease AS has_lease
