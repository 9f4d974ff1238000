// Ids of the nodes that matched at a log position, in id order: live nodes that have not changed since, and the former
// state of nodes that have. Live nodes are read first, so that a node that changes meanwhile is not missed.
// mode: read
// params: domain, at, type, filter, fields, valid_at, after, limit
// returns: id
CALL () {
  WITH 1 AS one
  WHERE $type IS NULL
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._id > $after AND n._version <= $at
    AND all(key IN keys($filter) WHERE n[key] = $filter[key])
    AND ($valid_at IS NULL OR coalesce(n._valid_from <= $valid_at, true) AND coalesce(n._valid_to > $valid_at, true))
    AND CASE WHEN $fields IS NULL THEN true ELSE coalesce(coalesce(n._namespace, 'default') = $fields.namespace, true)
      AND coalesce(coalesce(n._path, '/') STARTS WITH $fields.path_prefix, true)
      AND coalesce(n._created >= $fields.created_after, true) AND coalesce(n._created < $fields.created_before, true)
      AND coalesce(n._modified >= $fields.modified_after, true)
      AND coalesce(n._modified < $fields.modified_before, true) END
  RETURN n._id AS id
  ORDER BY n._domain, n._id
  LIMIT $limit
  UNION
  WITH 1 AS one
  WHERE $type IS NOT NULL
  MATCH (n:_Node)
  USING INDEX n:_Node(_domain, _type, _id)
  WHERE n._domain = $domain AND n._type = $type AND n._id > $after AND n._version <= $at
    AND all(key IN keys($filter) WHERE n[key] = $filter[key])
    AND ($valid_at IS NULL OR coalesce(n._valid_from <= $valid_at, true) AND coalesce(n._valid_to > $valid_at, true))
    AND CASE WHEN $fields IS NULL THEN true ELSE coalesce(coalesce(n._namespace, 'default') = $fields.namespace, true)
      AND coalesce(coalesce(n._path, '/') STARTS WITH $fields.path_prefix, true)
      AND coalesce(n._created >= $fields.created_after, true) AND coalesce(n._created < $fields.created_before, true)
      AND coalesce(n._modified >= $fields.modified_after, true)
      AND coalesce(n._modified < $fields.modified_before, true) END
  RETURN n._id AS id
  ORDER BY n._domain, n._type, n._id
  LIMIT $limit
  UNION
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > $at AND e._kind = 'node' AND e._subject > $after
    AND (coalesce(e._type = $type, true) OR e._entity IS NOT NULL)
  WITH DISTINCT e._subject AS subject
  CALL (subject) {
    MATCH (p:_Event)
    USING INDEX p:_Event(_domain, _subject, _seq)
    WHERE p._domain = $domain AND p._subject = subject AND p._seq > 0 AND p._seq <= $at
    RETURN p
    ORDER BY p._domain DESC, p._subject DESC, p._seq DESC
    LIMIT 1
  }
  WITH p
  WHERE p._op <> 'delete' AND coalesce(p._type = $type, true) AND all(key IN keys($filter) WHERE p[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(p._valid_from <= $valid_at, true) AND coalesce(p._valid_to > $valid_at, true))
  AND CASE WHEN $fields IS NULL THEN true ELSE coalesce(coalesce(p._namespace, 'default') = $fields.namespace, true)
    AND coalesce(coalesce(p._path, '/') STARTS WITH $fields.path_prefix, true)
    AND coalesce(p._created >= $fields.created_after, true) AND coalesce(p._created < $fields.created_before, true)
    AND coalesce(p._modified >= $fields.modified_after, true)
    AND coalesce(p._modified < $fields.modified_before, true) END
  RETURN p._subject AS id
}
RETURN id
ORDER BY id
LIMIT $limit
