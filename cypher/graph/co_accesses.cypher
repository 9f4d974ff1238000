// The connections of a domain whose two ends were most often in the same reply, with the number of such replies.
// mode: read
// params: domain, limit
// returns: id, count
MATCH (a:_Access)
USING INDEX a:_Access(_domain, _together)
WHERE a._domain = $domain AND a._together > 0
RETURN a._id AS id, a._together AS count
ORDER BY a._together DESC, a._id
LIMIT $limit
