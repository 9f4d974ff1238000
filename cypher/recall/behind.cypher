// Domains that are ready and whose log goes on beyond their index, or that have passages without vectors.
// mode: read
// params: state
// returns: domain
MATCH (d:_Domain)
WHERE d._id IS NOT NULL AND d._state = $state
OPTIONAL MATCH (i:_Index {_domain: d._id})
WITH d, i
WHERE coalesce(i._seq, -1) < d._seq OR EXISTS { MATCH (p:_NewPassage) WHERE p._domain = d._id AND p._since >= 0 }
RETURN d._id AS domain
ORDER BY domain
