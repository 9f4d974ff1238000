// Those of these domains whose log goes on beyond their index, or that have passages without vectors.
// mode: read
// params: domains
// returns: domain
UNWIND $domains AS domain
MATCH (d:_Domain {_id: domain})
OPTIONAL MATCH (i:_Index {_domain: domain})
WITH domain, d, i
WHERE d._state = 'ready'
  AND (coalesce(i._seq, -1) < d._seq OR EXISTS { MATCH (p:_NewPassage) WHERE p._domain = domain AND p._since >= 0 })
RETURN domain
ORDER BY domain
