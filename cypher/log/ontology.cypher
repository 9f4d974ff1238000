// A domain's ontology: the JSON definitions of its types, in order of declaration. `newest` is the version of the
// newest part that was read, `versions` the sum of the versions that its types should have (null if it was never
// computed), and `read_versions` the sum of those that were read. If these differ, or the newest is not the
// ontology's version, the read is incomplete.
// mode: read
// params: domain
// returns: ontology_version, epoch, newest, versions, read_versions, open, description, node_types, connection_types
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (o:_Ontology {_domain: $domain})
CALL () {
  MATCH (t:_NodeType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  WITH t ORDER BY coalesce(t._declared, t._version)
  RETURN collect(t._definition) AS node_types, max(t._version) AS node_types_newest, sum(t._version) AS nodes_found
}
CALL () {
  MATCH (t:_ConnectionType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  WITH t ORDER BY coalesce(t._declared, t._version)
  RETURN collect(t._definition) AS connection_types, max(t._version) AS connection_types_newest, sum(t._version) AS links_found
}
RETURN d._ontology_version AS ontology_version, toString(d._created) + '/' + d._mended AS epoch,
       reduce(newest = 0, version IN [o._version, node_types_newest, connection_types_newest] |
         CASE WHEN version > newest THEN version ELSE newest END) AS newest,
       d._versions AS versions, nodes_found + links_found AS read_versions, coalesce(o._open, false) AS open,
       coalesce(o._description, '') AS description, node_types, connection_types
