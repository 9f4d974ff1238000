// Deletes live connections, and inverse relationships without a connection, by their element ids.
// mode: write
// params: domain, elements
// returns: -
UNWIND $elements AS element
MATCH ()-[r]->()
WHERE elementId(r) = element AND r._domain = $domain AND (r._id IS NOT NULL OR r._inverse_of IS NOT NULL)
DELETE r
