// The connections of a domain whose ends were told of together most often, and how often.
// mode: read
// params: domain, limit
// returns: id, count
MATCH (a:_Access)
USING INDEX a:_Access(_domain, _together)
WHERE a._domain = $domain AND a._together > 0
RETURN a._id AS id, a._together AS count
ORDER BY a._together DESC, a._id
LIMIT $limit
