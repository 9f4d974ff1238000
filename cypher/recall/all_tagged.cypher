// The owners that have tags, up to a number of them.
// mode: read
// params: domain, at, limit
// returns: owner
MATCH (p:_Passage)
USING INDEX p:_Passage(_domain, _owner, _until)
WHERE p._domain = $domain AND p._owner IS NOT NULL AND p._until > $at AND p._since <= $at AND p._place = 'tags'
RETURN p._owner AS owner
LIMIT $limit
