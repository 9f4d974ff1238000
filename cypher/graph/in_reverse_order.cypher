// The sort keys of a range of an index, in descending order, of subjects with equal values of all its properties but
// the last. All keys have the same prefix; `after` and `until` are exclusive bounds.
// mode: read
// params: domain, kind, types, index, after, until, limit
// returns: sort_key
UNWIND $types AS type
CALL (type) {
  MATCH (k:_Key {_domain: $domain, _kind: $kind, _type: type, _property: $index})
  USING INDEX k:_Key(_domain, _kind, _type, _property, _value)
  WHERE k._value < $after AND k._value > $until
  RETURN k._value AS sort_key
  ORDER BY k._domain DESC, k._kind DESC, k._type DESC, k._property DESC, k._value DESC
  LIMIT $limit
}
RETURN sort_key
ORDER BY sort_key DESC
LIMIT $limit
