// Which domain a branch was made from and where: after `forked_at` of that domain's log, its own begins after `begins_at`.
// Other domains have nothing but their name here. Up to `compacted_to` a log was compacted, if it was.
// mode: read
// params: domain
// returns: forked_from, forked_at, begins_at, compacted_to
MATCH (d:_Domain {_id: $domain})
RETURN d._forked_from AS forked_from, d._forked_at AS forked_at, d._begins_at AS begins_at,
       d._compacted_to AS compacted_to
