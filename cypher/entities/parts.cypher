// The ids of entities that contain one of these lower-case texts in their name, aliases or type, up to a limit per text.
// Records that are not indexed are scanned first, as in `matching`.
// mode: read
// params: domain, parts, limit
// returns: id
UNWIND $parts AS part
CALL (part) {
  CALL (part) {
    MATCH (n:_Node)
    WHERE n._domain = $domain AND n._is_long IS NOT NULL
      AND normalize(toLower(n.name + '\n' + n._entity + CASE WHEN n.aliases IS :: STRING NOT NULL THEN '\n' + n.aliases ELSE '' END))
        CONTAINS part
    RETURN n._id AS id
    UNION
    MATCH (n:_Node)
    USING TEXT INDEX n:_Node(_folded)
    WHERE n._folded CONTAINS part AND n._domain = $domain
    RETURN n._id AS id
  }
  RETURN id
  LIMIT $limit
}
RETURN DISTINCT id
