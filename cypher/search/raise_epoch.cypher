// Locks a domain's index and raises its epoch, so that pages that were read before cannot be written.
// mode: write
// params: domain
// returns: -
MATCH (i:_Index {_domain: $domain})
SET i._epoch = i._epoch + 1
