// Returns the inverse relationships without a connection, by their element ids.
// mode: read
// params: domain, elements, inverses
// returns: id, type, element, from_id, to_id, stored
UNWIND $elements AS element
MATCH (a:_Node)-[i]->(b)
WHERE elementId(i) = element AND a._domain = $domain AND i._domain = $domain AND i._inverse_of IS NOT NULL
WITH element, a, i, b, CASE
  WHEN COUNT { (a)<--() } < COUNT { (b)-->() }
    THEN COLLECT { MATCH (a)<-[r]-(other) WHERE r._id = i._inverse_of AND r._domain = $domain AND other._id = b._id RETURN type(r) }
  ELSE COLLECT { MATCH (b)-[r]->(other) WHERE r._id = i._inverse_of AND r._domain = $domain AND other._id = a._id RETURN type(r) }
END AS owner_types
WHERE none(name IN owner_types WHERE coalesce($inverses[name] = type(i), false))
RETURN element AS id, type(i) AS type, element, a._id AS from_id,
  CASE WHEN b:_Node AND b._domain = $domain THEN b._id END AS to_id, properties(i) AS stored
