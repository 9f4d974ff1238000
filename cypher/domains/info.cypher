// One domain with its live nodes and connections counted, within the domain only. No row: there is no such domain.
// mode: read
// params: domain
// returns: name, created, modified, events, forked_from, forked_at, busy, node_types, connection_types, nodes, connections, protection, not_indexed, without_vectors, analyser
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (i:_Index {_domain: $domain})
RETURN d._id AS name, d._created AS created, d._last_at AS modified, d._seq - coalesce(d._begins_at, 0) AS events,
       d._forked_from AS forked_from, d._forked_at AS forked_at, nullIf(d._state, 'ready') AS busy,
       COUNT { MATCH (t:_NodeType) WHERE t._domain = $domain AND t._name IS NOT NULL } AS node_types,
       COUNT { MATCH (t:_ConnectionType) WHERE t._domain = $domain AND t._name IS NOT NULL } AS connection_types,
       COUNT { MATCH (n:_Node) WHERE n._domain = $domain AND n._id IS NOT NULL } AS nodes,
       COUNT {
         MATCH (a:_Node)
         WHERE a._domain = $domain AND a._id IS NOT NULL
         MATCH (a)-[r]->(:_Node)
         WHERE r._domain = $domain AND r._id IS NOT NULL
       } AS connections, d._protection AS protection, d._seq - coalesce(i._seq, d._forked_at, 0) AS not_indexed,
       COUNT { MATCH (p:_NewPassage) WHERE p._domain = $domain AND p._since >= 0 } AS without_vectors,
       i._analyser AS analyser
