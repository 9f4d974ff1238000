// Begins the index of a domain that is ready and has none. Takes the domain's lock this once, so that the domain is not deleted
// concurrently. Epochs are unique, even if a domain is deleted and created again.
// mode: write
// params: domain, state, analyser, word_rules_version
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._writer = ''
WITH d
WHERE d._state = $state
MERGE (i:_Index {_domain: $domain})
ON CREATE SET i._seq = coalesce(d._forked_at, 0), i._epoch = toInteger(rand() * 1000000000000), i._open = 0, i._analyser = $analyser,
              i._reading = $word_rules_version, i._part = 0, i._failures = 0, i._skipped = [], i._reread_to = ''
