// The numbers of live nodes and connections of a domain, and the bytes of their contents. Reads the whole domain.
// mode: read
// params: domain
// returns: nodes, connections, content_bytes
CALL () {
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._id IS NOT NULL
  RETURN count(*) AS nodes, sum(n._content_size) AS node_bytes
}
CALL () {
  MATCH (a:_Node)
  WHERE a._domain = $domain AND a._id IS NOT NULL
  MATCH (a)-[r]->(:_Node)
  WHERE r._domain = $domain AND r._id IS NOT NULL
  RETURN count(*) AS connections, sum(r._content_size) AS connection_bytes
}
RETURN nodes, connections, node_bytes + connection_bytes AS content_bytes
