// Owners that have tags, up to a limit. If `tags` is given, only owners that have these tags now.
// mode: read
// params: domain, at, tags, limit
// returns: owner
MATCH (p:_Passage)
USING INDEX p:_Passage(_domain, _owner, _until)
WHERE p._domain = $domain AND p._owner IS NOT NULL AND p._until > $at AND p._since <= $at AND p._place = 'tags'
WITH p._owner AS owner
WHERE $tags IS NULL OR EXISTS {
  MATCH (n:_Node {_domain: $domain, _id: owner})
  WHERE all(tag IN $tags WHERE tag IN n._tags)
}
RETURN owner
LIMIT $limit
