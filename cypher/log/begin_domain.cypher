// Creates the domain if it does not exist. Its first events follow in the same transaction.
// mode: write
// params: domain, at
// returns: -
MERGE (d:_Domain {_id: $domain})
ON CREATE SET d._seq = 0, d._ontology_version = 0, d._created = $at, d._last_at = $at, d._state = 'ready', d._mended = 0
