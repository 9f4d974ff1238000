// Takes the lock of a domain's index and raises its epoch, so that no page that was read before is written after it.
// mode: write
// params: domain
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._epoch = i._epoch + 1
