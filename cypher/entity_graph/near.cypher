// Names of entities that contain a lower-case text, and each of the others, in their name, aliases or type. Records that are
// not indexed are scanned first, as in `entities/matching`.
// mode: read
// params: domain, text, others, limit
// returns: name
CALL () {
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._is_long IS NOT NULL
  WITH n, normalize(toLower(n.name + '\n' + n._entity + CASE WHEN n.aliases IS :: STRING NOT NULL THEN '\n' + n.aliases ELSE '' END)) AS folded
  WHERE folded CONTAINS $text AND all(other IN $others WHERE folded CONTAINS other)
  RETURN n.name AS name
  UNION
  MATCH (n:_Node)
  USING TEXT INDEX n:_Node(_folded)
  WHERE n._folded CONTAINS $text AND n._domain = $domain AND all(other IN $others WHERE n._folded CONTAINS other)
  RETURN n.name AS name
}
RETURN name
LIMIT $limit
