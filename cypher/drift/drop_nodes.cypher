// Deletes nodes of the domain without an id, because graph-memory did not create them.
// mode: write
// params: domain, elements
// returns: -
UNWIND $elements AS element
MATCH (n)
WHERE elementId(n) = element AND n:_Node AND n._domain = $domain AND n._id IS NULL
DETACH DELETE n
