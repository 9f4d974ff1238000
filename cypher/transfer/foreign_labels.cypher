// The given labels that exist in a database, which may be any Neo4j database.
// mode: read
// params: labels
// returns: label
CALL db.labels() YIELD label
WHERE label IN $labels
RETURN label
