// Makes node types what their last events say, and notes how many types there are.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_node_types AS row
MATCH (o:_Ontology {_domain: $domain})
MERGE (t:_NodeType {_domain: $domain, _name: row.state._name})
SET t = row.state
MERGE (o)-[:_DEFINES]->(t)
WITH count(*) AS found
MATCH (d:_Domain {_id: $domain})
SET d._defined = COUNT { MATCH (:_Ontology {_domain: $domain})-[:_DEFINES]->() }
RETURN found
