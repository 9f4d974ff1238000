// The numbers of changes and vectors that the indexes of domains lack, and of the events that they skipped. A domain
// that was never searched has no index.
// mode: read
// params: -
// returns: domain, not_indexed, without_vectors, skipped
MATCH (i:_Index)
WHERE i._domain IS NOT NULL
MATCH (d:_Domain {_id: i._domain})
WITH d._id AS domain, d._seq - coalesce(i._seq, 0) AS not_indexed, coalesce(i._skipped, []) AS skipped,
     COUNT { MATCH (p:_NewPassage) WHERE p._domain = d._id AND p._since >= 0 } AS without_vectors
WHERE not_indexed > 0 OR without_vectors > 0 OR size(skipped) > 0
RETURN domain, not_indexed, without_vectors, skipped
ORDER BY domain
