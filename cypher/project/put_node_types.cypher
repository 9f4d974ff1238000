// Makes node types what their last events say.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_node_types AS row
MATCH (o:_Ontology {_domain: $domain})
MERGE (t:_NodeType {_domain: $domain, _name: row.state._name})
SET t = row.state
MERGE (o)-[:_DEFINES]->(t)
RETURN count(*) AS found
