// The ids of entities of a type as it was written, in id order; one that was mentioned first is kept as of another type.
// mode: read
// params: domain, type, stored, limit
// returns: id
UNWIND $stored AS stored
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _type, _id)
WHERE n._domain = $domain AND n._type = stored AND n._id IS NOT NULL AND n._entity = $type AND n._mentioned IS NULL
RETURN n._id AS id
ORDER BY id
LIMIT $limit
