// The ids of nodes of some types, newest first, without nodes that are only mentioned or have a closed status or state.
// mode: read
// params: domain, types, closed, limit
// returns: id
UNWIND $types AS type
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _type, _id)
WHERE n._domain = $domain AND n._type = type AND n._id IS NOT NULL AND n._mentioned IS NULL
  AND none(value IN [n.status, n.state] WHERE toLower(coalesce(toStringOrNull(value), '')) IN $closed)
RETURN n._id AS id
ORDER BY id DESC
LIMIT $limit
