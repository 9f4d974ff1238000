// Returns the live connections with these ids at some nodes. An end that is not a node of the domain has no id.
// mode: read
// params: domain, nodes, ids
// returns: id, type, element, from_id, to_id, stored
UNWIND $nodes AS node
MATCH (n:_Node {_domain: $domain, _id: node})-[r]-()
WHERE r._domain = $domain AND r._id IN $ids
WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b
RETURN r._id AS id, type(r) AS type, elementId(r) AS element,
  CASE WHEN a:_Node AND a._domain = $domain THEN a._id END AS from_id,
  CASE WHEN b:_Node AND b._domain = $domain THEN b._id END AS to_id,
  properties(r) AS stored
