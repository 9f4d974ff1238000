// Notes that the rebuild of an index is complete.
// mode: write
// params: domain
// returns: -
MATCH (i:_Index {_domain: $domain})
REMOVE i._is_remade
