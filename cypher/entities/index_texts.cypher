// Indexes texts of these records in lower case. They stay marked as waiting until the next transaction, because
// readers scan waiting records before they query the index. Locks the records first, so that their texts do not
// change before the commit.
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
