// Which domain a branch was made from and where: after `forked_at` of that domain's log, its own begins after `begins_at`.
// Other domains have nothing but their name here.
// mode: read
// params: domain
// returns: forked_from, forked_at, begins_at
MATCH (d:_Domain {_id: $domain})
RETURN d._forked_from AS forked_from, d._forked_at AS forked_at, d._begins_at AS begins_at
