// What people said of a domain's changes when they reviewed them, and the numbers between which its
// log has changes to show.
// mode: read
// params: domain
// returns: reviewed, after, last
MATCH (d:_Domain {_id: $domain})
RETURN d._reviewed AS reviewed,
       reduce(last = 0, n IN [d._begins_at, d._compacted_to] | CASE WHEN n > last THEN n ELSE last END) AS after,
       d._seq AS last
