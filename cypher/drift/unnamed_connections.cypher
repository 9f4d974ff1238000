// Relationships of these types between two nodes of the domain that lack its name or an id, of the next few of its
// nodes: somebody made them by hand. Second relationships of the domain, of these types of `inverses`, are none of them.
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
