// One domain with the numbers of its live nodes and connections, the names of its branches and children, and the time of
// its last access. No row if the domain does not exist.
// mode: read
// params: domain
// returns: name, created, modified, events, forked_from, forked_at, busy, node_types, connection_types, description, parent, children, nodes, connections, content_bytes, protection, not_indexed, without_vectors, analyser, metadata, ontology_version, branches, last_access
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (i:_Index {_domain: $domain})
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
CALL () {
  MATCH (a:_Access)
  WHERE a._domain = $domain AND a._id IS NOT NULL
  RETURN max(a._last) AS last_access
}
RETURN d._id AS name, d._created AS created, d._last_at AS modified, d._seq - coalesce(d._begins_at, 0) AS events,
       d._forked_from AS forked_from, d._forked_at AS forked_at, nullIf(d._state, 'ready') AS busy,
       COUNT { MATCH (t:_NodeType) WHERE t._domain = $domain AND t._name IS NOT NULL } AS node_types,
       COUNT { MATCH (t:_ConnectionType) WHERE t._domain = $domain AND t._name IS NOT NULL } AS connection_types,
       d._description AS description, d._parent AS parent,
       COLLECT { MATCH (c:_Domain) WHERE c._parent = $domain RETURN c._id ORDER BY c._id } AS children, nodes, connections,
       node_bytes + connection_bytes AS content_bytes, d._protection AS protection,
       d._seq - coalesce(i._seq, d._forked_at, 0) AS not_indexed,
       COUNT { MATCH (p:_NewPassage) WHERE p._domain = $domain AND p._since >= 0 } AS without_vectors,
       i._analyser AS analyser, d._metadata AS metadata, d._ontology_version AS ontology_version,
       COLLECT { MATCH (b:_Domain) WHERE b._id IS NOT NULL AND b._forked_from = $domain RETURN b._id ORDER BY b._id } AS branches, last_access
