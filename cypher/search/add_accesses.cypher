// Adds to the access counts of nodes, and returns the number of nodes. Takes the domain's write lock, as all deletions and
// erasures do, so that deleted nodes get no count.
// mode: write
// params: domain, rows
// returns: counted
MATCH (d:_Domain {_id: $domain})
SET d._writer = ''
WITH d
UNWIND $rows AS row
MATCH (n:_Node {_domain: $domain, _id: row.id})
MERGE (a:_Access {_domain: $domain, _id: row.id})
ON CREATE SET a._count = row.count, a._last = row.last
ON MATCH SET a._count = a._count + row.count, a._last = CASE WHEN a._last > row.last THEN a._last ELSE row.last END
RETURN count(n) AS counted
