// The passages that match a full-text query, best first. The query contains the filters; the domain and the time are
// checked again, because a caller can write the query.
// mode: read
// params: domain, index, lucene, at, limit
// returns: id, owner, unit, score
CALL db.index.fulltext.queryNodes($index, $lucene, {limit: $limit}) YIELD node, score
WHERE node._domain = $domain AND node._since <= $at AND node._until > $at
RETURN elementId(node) AS id, node._owner AS owner, node._unit AS unit, score
