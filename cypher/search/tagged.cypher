// The owners whose tags a full-text query finds, up to a number of them. Given tags, those that have them now; otherwise some
// may have the words in other tags.
// mode: read
// params: domain, index, asked, at, tags, limit
// returns: owner
CALL db.index.fulltext.queryNodes($index, $asked) YIELD node
WHERE node._place = 'tags' AND node._domain = $domain AND node._since <= $at AND node._until > $at
WITH DISTINCT node._owner AS owner
WHERE $tags IS NULL OR EXISTS {
  MATCH (n:_Node {_domain: $domain, _id: owner})
  WHERE all(tag IN $tags WHERE tag IN n._tags)
}
RETURN owner
LIMIT $limit
