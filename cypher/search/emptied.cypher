// Notes that the rows of an index that is made anew are gone.
// mode: write
// params: domain
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._epoch = i._epoch + 1
REMOVE i._is_emptied
