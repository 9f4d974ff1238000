// Ids of the connections of some types that match every property, by one indexed property, in id order. Each connection
// is looked up from the end with fewer relationships.
// mode: read
// params: domain, types, property, value, filter, valid_at, after, limit
// returns: id
UNWIND $types AS type
MATCH (k:_Key {_domain: $domain, _kind: 'connection', _type: type, _property: $property, _value: $value})
USING INDEX k:_Key(_domain, _kind, _type, _property, _value)
WHERE k._owner > $after
CALL (k) {
  MATCH (last:_Event)
  USING INDEX last:_Event(_domain, _subject, _seq)
  WHERE last._domain = $domain AND last._subject = k._owner AND last._seq > 0
  WITH last
  ORDER BY last._domain DESC, last._subject DESC, last._seq DESC
  LIMIT 1
  MATCH (a:_Node {_domain: $domain, _id: last._from})
  MATCH (b:_Node {_domain: $domain, _id: last._to})
  WITH k._owner AS id, CASE
    WHEN COUNT { (a)-->() } < COUNT { (b)<--() }
      THEN COLLECT { MATCH (a)-[r]->(other) WHERE r._id = last._subject AND r._domain = $domain AND other._id = last._to RETURN r }
    ELSE COLLECT { MATCH (b)<-[r]-(other) WHERE r._id = last._subject AND r._domain = $domain AND other._id = last._from RETURN r }
  END AS present
  UNWIND present AS r
  WITH id, r
  WHERE all(key IN keys($filter) WHERE r[key] = $filter[key])
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN id
}
RETURN id
ORDER BY id
LIMIT $limit
