// Adds to how often both ends of connections were told of in one reply, and tells of how many. It takes the domain's write lock, as
// `add_accesses` does.
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
