// Writes the node of an ontology as of its last event.
// mode: write
// params: domain, rows
// returns: found
UNWIND $rows.put_ontology AS row
MERGE (o:_Ontology {_domain: $domain})
SET o = row.state
RETURN count(*) AS found
