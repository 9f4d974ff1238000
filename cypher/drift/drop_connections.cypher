// Deletes relationships between nodes of the domain that lack its name or an id, because graph-memory did not create them.
// mode: write
// params: domain, elements
// returns: -
UNWIND $elements AS element
MATCH (a)-[r]->(b)
WHERE elementId(r) = element AND a._domain = $domain AND b._domain = $domain
  AND (r._domain IS NULL OR r._domain = $domain AND r._id IS NULL)
DELETE r
