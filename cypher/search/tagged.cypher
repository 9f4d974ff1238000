// Owners whose tags match a full-text query, up to a limit. If `tags` is given, only owners that have these tags now.
// Otherwise, some owners may have the words in other tags.
// mode: read
// params: domain, index, lucene, at, tags, limit
// returns: owner
CALL db.index.fulltext.queryNodes($index, $lucene) YIELD node
WHERE node._place = 'tags' AND node._domain = $domain AND node._since <= $at AND node._until > $at
WITH DISTINCT node._owner AS owner
WHERE $tags IS NULL OR EXISTS {
  MATCH (n:_Node {_domain: $domain, _id: owner})
  WHERE all(tag IN $tags WHERE tag IN n._tags)
}
RETURN owner
LIMIT $limit
