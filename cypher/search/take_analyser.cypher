// Has searches read the words of a domain by the analyser in whose index all its passages are now. A copy that was begun
// before is of no use any more.
// mode: write
// params: domain, label
// returns: -
MATCH (i:_Index {_domain: $domain})
WHERE i._next_analyser = $label
SET i._analyser = $label, i._epoch = i._epoch + 1
REMOVE i._next_analyser
