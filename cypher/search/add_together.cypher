// Adds to the counts of connections whose ends were returned in one reply, and returns the number of connections. Takes the
// domain's write lock, as `add_accesses` does.
// mode: write
// params: domain, rows
// returns: counted
MATCH (d:_Domain {_id: $domain})
SET d._writer = ''
WITH d
UNWIND $rows AS row
MERGE (a:_Access {_domain: $domain, _id: row.id})
SET a._together = coalesce(a._together, 0) + row.count, a._last = row.last
RETURN count(a) AS counted
