// Notes that the rows of an index that is being rebuilt are deleted.
// mode: write
// params: domain
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._epoch = i._epoch + 1
REMOVE i._is_emptied
