// Notes by which analyser the words of a domain are to be read, if that is another: new passages are in its index too.
// mode: write
// params: domain, label
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._next_analyser = CASE WHEN i._analyser <> $label THEN $label END
