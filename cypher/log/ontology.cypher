// A domain's ontology: the definitions of its types, in order of declaration, as JSON. `newest` is the version of the
// newest part that was read, `defined` how many types there should be (null before anybody counted them): when that is
// not the ontology's version, or there are more or fewer types, a change was seen by halves.
// mode: read
// params: domain
// returns: ontology_version, epoch, newest, defined, open, node_types, connection_types
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (o:_Ontology {_domain: $domain})
CALL () {
  MATCH (t:_NodeType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  WITH t ORDER BY t._version
  RETURN collect(t._definition) AS node_types, max(t._version) AS node_types_newest
}
CALL () {
  MATCH (t:_ConnectionType)
  WHERE t._domain = $domain AND t._name IS NOT NULL
  WITH t ORDER BY t._version
  RETURN collect(t._definition) AS connection_types, max(t._version) AS connection_types_newest
}
RETURN d._ontology_version AS ontology_version, toString(d._created) + '/' + d._mended AS epoch,
       reduce(newest = 0, version IN [o._version, node_types_newest, connection_types_newest] |
         CASE WHEN version > newest THEN version ELSE newest END) AS newest,
       d._defined AS defined, coalesce(o._open, false) AS open, node_types, connection_types
