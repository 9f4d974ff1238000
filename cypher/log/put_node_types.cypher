// Writes node types as of their last events, and stores the sum of the versions of all types. If a type existed before,
// or an ancestor may have a type of this name, the domain gets a new epoch, so that cached ontologies are no longer
// used.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_node_types AS row
MATCH (o:_Ontology {_domain: $domain})
MERGE (t:_NodeType {_domain: $domain, _name: row.state._name})
WITH o, t, row, CASE WHEN t._version IS NULL THEN 0 ELSE 1 END AS changes
SET t = row.state
MERGE (o)-[:_DEFINES]->(t)
WITH count(*) AS found, sum(changes) AS changed
MATCH (d:_Domain {_id: $domain})
SET d._mended = d._mended + CASE WHEN d._parent IS NULL THEN changed ELSE 1 END,
    d._versions = head(COLLECT { MATCH (:_Ontology {_domain: $domain})-[:_DEFINES]->(t) RETURN sum(t._version) })
RETURN found
