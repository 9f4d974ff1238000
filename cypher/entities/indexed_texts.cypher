// Marks indexed texts as no longer waiting, unless they have changed since.
// mode: write
// params: domain, ids
// returns: found
UNWIND $ids AS id
CALL (id) {
  MATCH (n:_Node {_domain: $domain, _id: id})
  SET n._locked = true
  WITH n, CASE WHEN n._folded IS NULL THEN n._is_long END AS waits
  SET n._is_long = waits, n._locked = null
  RETURN count(*) AS one
  UNION ALL
  MATCH (o:_Observation {_domain: $domain, _id: id})
  SET o._locked = true
  WITH o, CASE WHEN o._folded IS NULL THEN o._is_long END AS waits
  SET o._is_long = waits, o._locked = null
  RETURN count(*) AS one
}
RETURN sum(one) AS found
