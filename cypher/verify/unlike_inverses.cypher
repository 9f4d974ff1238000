// Compares connections and the inverse relationships that leave nodes after one id and up to another. `inverses`
// maps connection types to the types of their inverse relationships. `unlike` contains the ids and types of
// connections without exactly one equal inverse, `loose` the element ids and types of inverse relationships without
// a connection.
// mode: read
// params: domain, after, last, inverses
// returns: unlike, loose
CALL () {
  MATCH (a:_Node)
  USING INDEX SEEK a:_Node(_domain, _id)
  WHERE a._domain = $domain AND a._id > $after AND a._id <= $last
  MATCH (a)-[r]->(b:_Node)
  WHERE r._domain = $domain AND r._id IS NOT NULL AND $inverses[type(r)] IS NOT NULL
  WITH r, CASE WHEN COUNT { (a)<--() } < COUNT { (b)-->() }
    THEN COLLECT { MATCH (a)<-[i]-(other) WHERE i._inverse_of = r._id AND other._id = b._id RETURN i }
    ELSE COLLECT { MATCH (b)-[i]->(other) WHERE i._inverse_of = r._id AND other._id = a._id RETURN i }
  END AS present
  WITH r, size(present) AS count, head(present) AS i,
    [key IN keys(r) WHERE NOT key STARTS WITH '_content' AND NOT key IN ['_id', '_type', '_evidence', '_protection', '_creation_method']] AS names
  WHERE NOT coalesce(count = 1 AND type(i) = $inverses[type(r)] AND i._type = type(i) AND i._creation_method = 'automatic'
    AND size(keys(i)) = size(names) + 3
    AND all(key IN names WHERE i[key] = r[key] AND valueType(i[key]) = valueType(r[key])), false)
  RETURN collect([r._id, type(r)]) AS unlike
}
CALL () {
  MATCH (a:_Node)
  USING INDEX SEEK a:_Node(_domain, _id)
  WHERE a._domain = $domain AND a._id > $after AND a._id <= $last
  MATCH (a)-[i]->(b)
  WHERE i._domain = $domain AND i._inverse_of IS NOT NULL
  WITH i, CASE
    WHEN COUNT { (a)<--() } < COUNT { (b)-->() }
      THEN COLLECT { MATCH (a)<-[r]-(other) WHERE r._id = i._inverse_of AND r._domain = $domain AND other._id = b._id RETURN type(r) }
    ELSE COLLECT { MATCH (b)-[r]->(other) WHERE r._id = i._inverse_of AND r._domain = $domain AND other._id = a._id RETURN type(r) }
  END AS owner_types
  WHERE none(name IN owner_types WHERE coalesce($inverses[name] = type(i), false))
  RETURN collect([elementId(i), type(i)]) AS loose
}
RETURN unlike, loose
