// Stores the next analyser of a domain, if it differs from the current one. New passages are added to its index too.
// mode: write
// params: domain, label
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._next_analyser = CASE WHEN i._analyser <> $label THEN $label END
