// Deletes inverse relationships without a connection, by their element ids.
// mode: write
// params: domain, elements
// returns: -
UNWIND $elements AS element
MATCH (a:_Node)-[i]->()
WHERE elementId(i) = element AND a._domain = $domain AND i._domain = $domain AND i._id IS NULL AND i._inverse_of IS NOT NULL
DELETE i
