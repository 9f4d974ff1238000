// Makes searches use the analyser whose index now has all passages of the domain. A copy that was begun before becomes invalid.
// mode: write
// params: domain, label
// returns: -
MATCH (i:_Index {_domain: $domain})
WHERE i._next_analyser = $label
SET i._analyser = $label, i._epoch = i._epoch + 1
REMOVE i._next_analyser
