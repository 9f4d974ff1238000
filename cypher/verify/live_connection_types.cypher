// Returns live connection types, with the node types that they are linked to.
// mode: read
// params: domain, names
// returns: id, stored, is_defined, from_types, to_types
UNWIND $names AS name
MATCH (t:_ConnectionType {_domain: $domain, _name: name})
RETURN 'connection_type/' + name AS id, properties(t) AS stored,
       EXISTS { (:_Ontology {_domain: $domain})-[:_DEFINES]->(t) } AS is_defined,
       COLLECT { MATCH (t)-[:_FROM]->(n) RETURN n._name ORDER BY n._name } AS from_types,
       COLLECT { MATCH (t)-[:_TO]->(n) RETURN n._name ORDER BY n._name } AS to_types
