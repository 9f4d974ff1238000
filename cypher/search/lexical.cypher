// The passages that a full-text query finds, best first. The query holds the filters; what is asked here of domain and time
// holds whatever the query says.
// mode: read
// params: domain, index, asked, at, limit
// returns: id, owner, unit, score
CALL db.index.fulltext.queryNodes($index, $asked, {limit: $limit}) YIELD node, score
WHERE node._domain = $domain AND node._since <= $at AND node._until > $at
RETURN elementId(node) AS id, node._owner AS owner, node._unit AS unit, score
