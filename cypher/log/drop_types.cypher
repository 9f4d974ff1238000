// Deletes types. The domain gets a new epoch, so that cached ontologies are no longer used.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.drop_types AS row
OPTIONAL MATCH (n:_NodeType {_domain: $domain, _name: CASE row.kind WHEN 'node_type' THEN row.name END})
OPTIONAL MATCH (c:_ConnectionType {_domain: $domain, _name: CASE row.kind WHEN 'connection_type' THEN row.name END})
DETACH DELETE n, c
WITH count(*) AS found
MATCH (d:_Domain {_id: $domain})
SET d._mended = d._mended + 1,
    d._versions = head(COLLECT { MATCH (:_Ontology {_domain: $domain})-[:_DEFINES]->(t) RETURN sum(t._version) })
RETURN found
