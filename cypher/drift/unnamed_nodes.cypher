// Nodes that claim to be of the domain and have no id: somebody made them by hand. No index knows them, so all nodes are
// looked at.
// mode: read
// params: domain
// returns: element
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NULL
RETURN elementId(n) AS element
