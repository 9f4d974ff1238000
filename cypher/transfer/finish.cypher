// Tells this making of a domain from any other, so that no process takes it for one that it knew by that name.
// mode: write
// params: domain, epoch
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._mended = $epoch
