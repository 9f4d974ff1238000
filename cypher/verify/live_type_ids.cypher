// Returns the ids of live types whose domain is this one.
// mode: read
// params: domain
// returns: id
CALL () {
  MATCH (t:_NodeType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  RETURN 'node_type/' + t._name AS id
  UNION
  MATCH (t:_ConnectionType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  RETURN 'connection_type/' + t._name AS id
}
RETURN id
