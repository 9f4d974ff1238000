// The owners whose tags a full-text query finds, up to a number of them; some may have the words in other tags.
// mode: read
// params: domain, index, asked, at, limit
// returns: owner
CALL db.index.fulltext.queryNodes($index, $asked) YIELD node
WHERE node._place = 'tags' AND node._domain = $domain AND node._since <= $at AND node._until > $at
RETURN DISTINCT node._owner AS owner
LIMIT $limit
