// Writes connection types as of their last events, linked to their node types, and stores the sum of the versions of
// all types. If a type existed before or has an inverse, the domain gets a new epoch, as for node types.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_connection_types AS row
MATCH (o:_Ontology {_domain: $domain})
MERGE (t:_ConnectionType {_domain: $domain, _name: row.state._name})
WITH o, t, row, CASE WHEN coalesce(t._version, row.state._inverse) IS NULL THEN 0 ELSE 1 END AS changes
SET t = row.state
MERGE (o)-[:_DEFINES]->(t)
WITH t, row, changes
CALL (t, row) {
  MATCH (t)-[r:_FROM]->(n) WHERE NOT n._name IN row.state._from_types
  DELETE r
}
CALL (t, row) {
  MATCH (t)-[r:_TO]->(n) WHERE NOT n._name IN row.state._to_types
  DELETE r
}
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
WITH count(*) AS found, sum(changes) AS changed
MATCH (d:_Domain {_id: $domain})
SET d._mended = d._mended + CASE WHEN d._parent IS NULL THEN changed ELSE 1 END,
    d._versions = head(COLLECT { MATCH (:_Ontology {_domain: $domain})-[:_DEFINES]->(t) RETURN sum(t._version) })
RETURN found
