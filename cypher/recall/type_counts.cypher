// The current number of nodes of each type, counted up to a maximum.
// mode: read
// params: domain, most
// returns: type, nodes
MATCH (t:_NodeType)
WHERE t._domain = $domain AND t._name IS NOT NULL
WITH t._name AS type
RETURN type, COUNT {
  MATCH (n:_Node)
  USING INDEX n:_Node(_domain, _type, _id)
  WHERE n._domain = $domain AND n._type = type AND n._id IS NOT NULL
  RETURN n
  LIMIT $most
} AS nodes
