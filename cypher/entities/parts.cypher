// The ids of entities that have one of these texts, in lower case, somewhere in the name or type; of each text so many.
// mode: read
// params: domain, parts, limit
// returns: id
UNWIND $parts AS part
CALL (part) {
  MATCH (n:_Node)
  USING TEXT INDEX n:_Node(_folded)
  WHERE n._folded CONTAINS part AND n._domain = $domain
  RETURN n._id AS id
  LIMIT $limit
}
RETURN DISTINCT id
