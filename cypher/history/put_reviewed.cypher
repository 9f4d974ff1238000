// Stores the reviews of a domain's changes. They are not part of the log, because a review changes nothing.
// mode: write
// params: domain, reviewed
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._reviewed = $reviewed
