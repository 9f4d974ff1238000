// Makes connection types what their last events say, tied to the node types that they join, and notes how
// many types there are.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_connection_types AS row
MATCH (o:_Ontology {_domain: $domain})
MERGE (t:_ConnectionType {_domain: $domain, _name: row.state._name})
SET t = row.state
MERGE (o)-[:_DEFINES]->(t)
WITH t, row
CALL (t, row) {
  UNWIND row.state._from_types AS name
  MATCH (n:_NodeType {_domain: $domain, _name: name})
  MERGE (t)-[:_FROM]->(n)
}
CALL (t, row) {
  UNWIND row.state._to_types AS name
  MATCH (n:_NodeType {_domain: $domain, _name: name})
  MERGE (t)-[:_TO]->(n)
}
WITH count(*) AS found
MATCH (d:_Domain {_id: $domain})
SET d._defined = COUNT { MATCH (:_Ontology {_domain: $domain})-[:_DEFINES]->() }
RETURN found
