// Gives a new domain its epoch, so that no process takes it for an earlier domain of that name.
// mode: write
// params: domain, epoch
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._mended = $epoch
