// Has texts of these indexed, in lower case. They wait on until the next transaction: a reader looks through those that wait
// before it asks the index. What is locked first says until the commit what it says.
// mode: write
// params: domain, ids
// returns: found
UNWIND $ids AS id
CALL (id) {
  MATCH (n:_Node {_domain: $domain, _id: id})
  SET n._locked = true
  WITH n, CASE WHEN n._is_long = false
    THEN normalize(toLower(n.name + '\n' + n._entity + CASE WHEN n.aliases IS :: STRING NOT NULL THEN '\n' + n.aliases ELSE '' END))
  END AS folded
  SET n._folded = coalesce(folded, n._folded), n._locked = null
  RETURN count(folded) AS one
  UNION ALL
  MATCH (o:_Observation {_domain: $domain, _id: id})
  SET o._locked = true
  WITH o, CASE WHEN o._is_long = false THEN normalize(toLower(o._text)) END AS folded
  SET o._folded = coalesce(folded, o._folded), o._locked = null
  RETURN count(folded) AS one
}
RETURN sum(one) AS found
