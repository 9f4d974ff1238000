// Gives a new domain its epoch, so that no process confuses it with an earlier domain of that name.
// mode: write
// params: domain, epoch
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._mended = $epoch
