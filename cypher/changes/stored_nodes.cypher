// A page of the nodes of a type, sorted by id, with their property values.
// mode: read
// params: domain, type, names, after, limit
// returns: id, values
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _type, _id)
WHERE n._domain = $domain AND n._type = $type AND n._id > $after
RETURN n._id AS id, [name IN $names | n[name]] AS values
ORDER BY n._domain, n._type, n._id
LIMIT $limit
