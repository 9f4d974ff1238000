// The nodes of a type, most recently ended or changed first. If keys are given, only nodes that have one of them in the
// property.
// mode: read
// params: domain, type, property, keys, limit
// returns: id
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _type, _id)
WHERE n._domain = $domain AND n._type = $type AND n._id IS NOT NULL AND ($keys IS NULL OR n[$property] IN $keys)
RETURN n._id AS id
ORDER BY coalesce(n.ended, toString(n._modified)) DESC, id
LIMIT $limit
