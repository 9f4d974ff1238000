// Returns live node types.
// mode: read
// params: domain, names
// returns: id, stored, is_defined
UNWIND $names AS name
MATCH (t:_NodeType {_domain: $domain, _name: name})
RETURN 'node_type/' + name AS id, properties(t) AS stored,
       EXISTS { (:_Ontology {_domain: $domain})-[:_DEFINES]->(t) } AS is_defined
