// The ids of everything in the live graph that claims to be of the domain, connections apart.
// mode: read
// params: domain
// returns: id, type
CALL () {
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._id IS NOT NULL
  RETURN n._id AS id
  UNION
  MATCH (o:_Observation)
  WHERE o._domain = $domain AND o._id IS NOT NULL
  RETURN o._id AS id
  UNION
  MATCH (t:_NodeType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  RETURN 'node_type/' + t._name AS id
  UNION
  MATCH (t:_ConnectionType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  RETURN 'connection_type/' + t._name AS id
  UNION
  MATCH (k:_Key)
  WHERE k._domain = $domain AND k._owner IS NOT NULL
  RETURN k._owner AS id
  UNION
  MATCH (w:_Window)
  WHERE w._domain = $domain AND w._owner IS NOT NULL
  RETURN w._owner AS id
}
RETURN id, null AS type
