// The reviews of a domain's changes, and the range of log positions that contain events.
// mode: read
// params: domain
// returns: reviewed, after, last
MATCH (d:_Domain {_id: $domain})
RETURN d._reviewed AS reviewed,
       reduce(last = 0, n IN [d._begins_at, d._compacted_to] | CASE WHEN n > last THEN n ELSE last END) AS after,
       d._seq AS last
