// Ids of the nodes of a type that match every property, by one indexed property, in id order.
// mode: read
// params: domain, type, property, value, filter, fields, valid_at, after, limit
// returns: id
MATCH (k:_Key {_domain: $domain, _kind: 'node', _type: $type, _property: $property, _value: $value})
USING INDEX k:_Key(_domain, _kind, _type, _property, _value)
WHERE k._owner > $after
MATCH (n:_Node {_domain: $domain, _id: k._owner})
WHERE all(key IN keys($filter) WHERE n[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(n._valid_from <= $valid_at, true) AND coalesce(n._valid_to > $valid_at, true))
  AND CASE WHEN $fields IS NULL THEN true ELSE coalesce(coalesce(n._namespace, 'default') = $fields.namespace, true)
    AND coalesce(coalesce(n._path, '/') STARTS WITH $fields.path_prefix, true)
    AND coalesce(n._created >= $fields.created_after, true) AND coalesce(n._created < $fields.created_before, true)
    AND coalesce(n._modified >= $fields.modified_after, true)
    AND coalesce(n._modified < $fields.modified_before, true) END
RETURN n._id AS id
ORDER BY id
LIMIT $limit
