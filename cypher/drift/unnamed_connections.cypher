// Returns relationships of these types between nodes of the domain that lack its name or an id, for the next nodes.
// The domain's inverse relationships, whose types are in `inverses`, are left out.
// mode: read
// params: domain, types, inverses, after, limit
// returns: source, element
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id > $after
WITH a ORDER BY a._domain, a._id LIMIT $limit
OPTIONAL MATCH (a)-[r]->(b:_Node)
WHERE type(r) IN $types AND b._domain = $domain AND b._id IS NOT NULL
  AND (r._domain IS NULL OR r._domain = $domain AND r._id IS NULL)
  AND (r._inverse_of IS NULL OR NOT type(r) IN $inverses OR r._domain IS NULL)
RETURN a._id AS source, elementId(r) AS element
ORDER BY source
