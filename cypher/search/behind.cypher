// Domains whose log is ahead of their index, that have passages without vectors, or whose words or vectors are from earlier
// rules or the earlier model.
// mode: read
// params: domains, word_rules_version, earlier
// returns: domain
UNWIND $domains AS domain
MATCH (d:_Domain {_id: domain})
OPTIONAL MATCH (i:_Index {_domain: domain})
WITH domain, d, i
WHERE d._state = 'ready'
  AND (coalesce(i._seq, -1) < d._seq OR coalesce(i._reading, 0) <> $word_rules_version OR coalesce(i._model = $earlier, false)
    OR EXISTS { MATCH (p:_NewPassage) WHERE p._domain = domain AND p._since >= 0 })
RETURN domain
ORDER BY domain
