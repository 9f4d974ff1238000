// The nodes of a type, those that changed last first; given a key, those that have it in a property.
// mode: read
// params: domain, type, property, key, limit
// returns: id
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _type, _id)
WHERE n._domain = $domain AND n._type = $type AND n._id IS NOT NULL AND ($key IS NULL OR n[$property] = $key)
RETURN n._id AS id
ORDER BY n._modified DESC, id
LIMIT $limit
