// A domain's ontology: the definitions of its types, in order of declaration, as JSON.
// mode: read
// params: domain
// returns: ontology_version, created, open, node_types, connection_types
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (o:_Ontology {_domain: $domain})
CALL () {
  MATCH (t:_NodeType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  WITH t ORDER BY t._version
  RETURN collect(t._definition) AS node_types
}
CALL () {
  MATCH (t:_ConnectionType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  WITH t ORDER BY t._version
  RETURN collect(t._definition) AS connection_types
}
RETURN d._ontology_version AS ontology_version, d._created AS created, coalesce(o._open, false) AS open,
       node_types, connection_types
