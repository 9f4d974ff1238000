// The subjects that are deleted together with nodes: their connections, the observations about them and the links
// from them, up to a limit.
// mode: read
// params: domain, nodes, limit
// returns: node, kind, id, type, from_id, to_id, version
UNWIND $nodes AS node
MATCH (n:_Node {_domain: $domain, _id: node})
CALL (n) {
  MATCH (n)-[r]-(:_Node)
  WHERE r._domain = $domain AND r._id IS NOT NULL
  WITH DISTINCT r
  RETURN 'connection' AS kind, r._id AS id, type(r) AS type, startNode(r)._id AS from_id, endNode(r)._id AS to_id,
         r._version AS version
  UNION ALL
  MATCH (o:_Observation)-[:_OBSERVES]->(n)
  WHERE o._domain = $domain AND o._id IS NOT NULL
  RETURN 'observation' AS kind, o._id AS id, null AS type, n._id AS from_id, null AS to_id, o._version AS version
  UNION ALL
  MATCH (n)-[:_LINKS]->(l:_Link)
  WHERE l._domain = $domain AND l._id IS NOT NULL
  RETURN 'link' AS kind, l._id AS id, null AS type, n._id AS from_id, null AS to_id, l._version AS version
}
WITH node, kind, id, type, from_id, to_id, version
LIMIT $limit
RETURN node, kind, id, type, from_id, to_id, version
ORDER BY node, id
