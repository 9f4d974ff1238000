// Ids of the nodes whose path starts with a prefix, optionally of one type, that match every property, in id order.
// mode: read
// params: domain, type, path, filter, fields, valid_at, after, limit
// returns: id
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _path)
WHERE n._domain = $domain AND n._path STARTS WITH $path AND n._id > $after AND coalesce(n._type = $type, true)
  AND all(key IN keys($filter) WHERE n[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(n._valid_from <= $valid_at, true) AND coalesce(n._valid_to > $valid_at, true))
  AND CASE WHEN $fields IS NULL THEN true ELSE coalesce(coalesce(n._namespace, 'default') = $fields.namespace, true)
    AND coalesce(coalesce(n._path, '/') STARTS WITH $fields.path_prefix, true)
    AND coalesce(n._created >= $fields.created_after, true) AND coalesce(n._created < $fields.created_before, true)
    AND coalesce(n._modified >= $fields.modified_after, true)
    AND coalesce(n._modified < $fields.modified_before, true) END
RETURN n._id AS id
ORDER BY id
LIMIT $limit
