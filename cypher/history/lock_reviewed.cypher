// Returns the same as `reviewed`, and locks it until the end of the transaction.
// mode: write
// params: domain
// returns: reviewed, after, last
MATCH (d:_Domain {_id: $domain})
SET d._reviewed = coalesce(d._reviewed, '[]')
RETURN d._reviewed AS reviewed,
       reduce(last = 0, n IN [d._begins_at, d._compacted_to] | CASE WHEN n > last THEN n ELSE last END) AS after,
       d._seq AS last
