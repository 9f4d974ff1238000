// The ids of everything in the live graph that claims to be of the domain, connections apart, a page at a time.
// mode: read
// params: domain, after, limit
// returns: id, type
CALL () {
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._id > $after
  RETURN n._id AS id ORDER BY n._domain, n._id LIMIT $limit
  UNION
  MATCH (o:_Observation)
  WHERE o._domain = $domain AND o._id > $after
  RETURN o._id AS id ORDER BY o._domain, o._id LIMIT $limit
  UNION
  MATCH (k:_Key)
  WHERE k._domain = $domain AND k._owner > $after
  WITH DISTINCT k._domain AS domain, k._owner AS id ORDER BY domain, id LIMIT $limit
  RETURN id
  UNION
  MATCH (w:_Window)
  WHERE w._domain = $domain AND w._owner > $after
  WITH DISTINCT w._domain AS domain, w._owner AS id ORDER BY domain, id LIMIT $limit
  RETURN id
}
WITH DISTINCT id
ORDER BY id
LIMIT $limit
RETURN id, null AS type
