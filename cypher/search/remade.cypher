// Notes that an index was made anew to its end.
// mode: write
// params: domain
// returns: -
MATCH (i:_Index {_domain: $domain})
REMOVE i._is_remade
