// Returns the inverse relationships without a connection, by their element ids.
// mode: read
// params: domain, elements, inverses
// returns: id, type, from_id, to_id, stored
UNWIND $elements AS element
MATCH (a:_Node)-[i]->(b)
WHERE elementId(i) = element AND a._domain = $domain AND i._domain = $domain AND i._inverse_of IS NOT NULL
CALL (a, i, b) {
  UNWIND [name IN keys($inverses) WHERE $inverses[name] = type(i)] AS name
  MATCH (source)-[r:$(name) {_domain: $domain, _id: i._inverse_of}]->(target)
  WHERE source = b AND target = a
  RETURN count(*) AS owners
}
WITH element, a, i, b, owners
WHERE owners = 0
RETURN element AS id, type(i) AS type, a._id AS from_id,
  CASE WHEN b:_Node AND b._domain = $domain THEN b._id END AS to_id, properties(i) AS stored
