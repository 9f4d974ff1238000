// One domain with its live nodes and connections counted, within the domain only. No row: there is no such domain.
// mode: read
// params: domain
// returns: name, created, modified, events, node_types, connection_types, nodes, connections
MATCH (d:_Domain {_id: $domain})
RETURN d._id AS name, d._created AS created, d._last_at AS modified, d._seq AS events,
       COUNT { MATCH (t:_NodeType) WHERE t._domain = $domain AND t._name IS NOT NULL } AS node_types,
       COUNT { MATCH (t:_ConnectionType) WHERE t._domain = $domain AND t._name IS NOT NULL } AS connection_types,
       COUNT { MATCH (n:_Node) WHERE n._domain = $domain AND n._id IS NOT NULL } AS nodes,
       COUNT {
         MATCH (a:_Node)
         WHERE a._domain = $domain AND a._id IS NOT NULL
         MATCH (a)-[r]->(:_Node)
         WHERE r._domain = $domain
       } AS connections
