// Places in an index of what is of some types and has equal values of all but the last property of the index, the last first.
// All begin with the same characters; `after` and `until` lie around those that are wanted.
// mode: read
// params: domain, kind, types, index, after, until, limit
// returns: place
UNWIND $types AS type
CALL (type) {
  MATCH (k:_Key {_domain: $domain, _kind: $kind, _type: type, _property: $index})
  USING INDEX k:_Key(_domain, _kind, _type, _property, _value)
  WHERE k._value < $after AND k._value > $until
  RETURN k._value AS place
  ORDER BY k._domain DESC, k._kind DESC, k._type DESC, k._property DESC, k._value DESC
  LIMIT $limit
}
RETURN place
ORDER BY place DESC
LIMIT $limit
