// The ids of nodes of types, in id order, without those that were only mentioned.
// mode: read
// params: domain, types, limit
// returns: id
UNWIND $types AS type
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _type, _id)
WHERE n._domain = $domain AND n._type = type AND n._id IS NOT NULL AND n._mentioned IS NULL
RETURN n._id AS id
ORDER BY id
LIMIT $limit
