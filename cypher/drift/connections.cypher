// Returns live relationships without a domain or an id, by their element ids.
// mode: read
// params: domain, elements
// returns: element, type, from_id, to_id, stored
UNWIND $elements AS element
MATCH (a)-[r]->(b)
WHERE elementId(r) = element AND a._domain = $domain AND b._domain = $domain
  AND (r._domain IS NULL OR r._domain = $domain AND r._id IS NULL)
RETURN element, type(r) AS type, a._id AS from_id, b._id AS to_id, properties(r) AS stored
