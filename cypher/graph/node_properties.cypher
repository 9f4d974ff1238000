// The names of properties that nodes of these types have: those in `names` that any node has, and all properties of the
// first nodes.
// mode: read
// params: domain, types, names
// returns: name
UNWIND $types AS type
CALL (type) {
  MATCH (n:_Node)
  USING INDEX n:_Node(_domain, _type, _id)
  WHERE n._domain = $domain AND n._type = type AND n._id IS NOT NULL
  WITH n
  LIMIT 100
  UNWIND keys(n) AS name
  RETURN name
  UNION
  UNWIND $names AS name
  WITH type, name
  WHERE EXISTS {
    MATCH (n:_Node)
    USING INDEX n:_Node(_domain, _type, _id)
    WHERE n._domain = $domain AND n._type = type AND n._id IS NOT NULL AND n[name] IS NOT NULL
  }
  RETURN name
}
WITH DISTINCT name
WHERE NOT name STARTS WITH '_'
RETURN name
