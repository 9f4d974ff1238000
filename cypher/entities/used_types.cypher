// The given connection types that have connections. The search starts from the nodes of the types from which a
// connection may start.
// mode: read
// params: domain, types
// returns: type
UNWIND $types AS type
MATCH (t:_ConnectionType {_domain: $domain, _name: type})
WITH type, CASE
  WHEN '*' IN t._from_types
    THEN COLLECT { MATCH (n:_NodeType) WHERE n._domain = $domain AND n._name IS NOT NULL RETURN n._name }
  ELSE t._from_types
END AS from_types
WHERE EXISTS {
  UNWIND from_types AS from_type
  MATCH (a:_Node)-[r:$(type)]->()
  WHERE a._domain = $domain AND a._type = from_type AND a._id IS NOT NULL AND r._id IS NOT NULL
}
RETURN type
