// Returns nodes of the domain without an id. No index contains them, so all nodes are read.
// mode: read
// params: domain
// returns: element
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NULL
RETURN elementId(n) AS element
