// The source of a branch: it continues that domain's log after `forked_at`, and its own log begins after `begins_at`.
// For other domains these are null. A compacted log begins after `compacted_to`.
// mode: read
// params: domain
// returns: forked_from, forked_at, begins_at, compacted_to
MATCH (d:_Domain {_id: $domain})
RETURN d._forked_from AS forked_from, d._forked_at AS forked_at, d._begins_at AS begins_at,
       d._compacted_to AS compacted_to
