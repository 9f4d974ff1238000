// Ids of the connections of some types that match every property, by one indexed property, in id order.
// mode: read
// params: domain, types, property, value, filter, valid_at, after, limit
// returns: id
UNWIND $types AS type
MATCH (k:_Key {_domain: $domain, _kind: 'connection', _type: type, _property: $property, _value: $value})
USING INDEX k:_Key(_domain, _kind, _type, _property, _value)
WHERE k._owner > $after
CALL (k, type) {
  MATCH ()-[r:$(type) {_domain: $domain, _id: k._owner}]->()
  WHERE all(key IN keys($filter) WHERE r[key] = $filter[key])
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN r._id AS id
}
RETURN id
ORDER BY id
LIMIT $limit
