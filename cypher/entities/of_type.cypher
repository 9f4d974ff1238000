// The ids of entities of a type, as callers wrote it, in order. An entity that was first mentioned in a relation may be
// stored under another type.
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
