// Keeps what people said of a domain's changes. It is no part of the log: who reviews changes nothing.
// mode: write
// params: domain, reviewed
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._reviewed = $reviewed
