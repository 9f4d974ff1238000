// The subjects of the types in the live graph that claim to be of the domain.
// mode: read
// params: domain
// returns: id, type
CALL () {
  MATCH (t:_NodeType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  RETURN 'node_type/' + t._name AS id
  UNION
  MATCH (t:_ConnectionType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  RETURN 'connection_type/' + t._name AS id
}
RETURN id, null AS type
