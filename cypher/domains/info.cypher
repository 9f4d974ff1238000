// One domain with the names of its branches and children, the time of its last access, and the position of its log. No
// row if the domain does not exist.
// mode: read
// params: domain
// returns: name, created, modified, events, forked_from, forked_at, busy, node_types, connection_types, description, parent, children, seq, epoch, protection, not_indexed, without_vectors, analyser, metadata, ontology_version, branches, last_access
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (i:_Index {_domain: $domain})
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
       COLLECT { MATCH (c:_Domain) WHERE c._parent = $domain RETURN c._id ORDER BY c._id } AS children,
       d._seq AS seq, toString(d._created) + '/' + d._mended AS epoch, d._protection AS protection,
       d._seq - coalesce(i._seq, d._forked_at, 0) AS not_indexed,
       COUNT { MATCH (p:_NewPassage) WHERE p._domain = $domain AND p._since >= 0 } AS without_vectors,
       i._analyser AS analyser, d._metadata AS metadata, d._ontology_version AS ontology_version,
       COLLECT { MATCH (b:_Domain) WHERE b._id IS NOT NULL AND b._forked_from = $domain RETURN b._id ORDER BY b._id } AS branches, last_access
