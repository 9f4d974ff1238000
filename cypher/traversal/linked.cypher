// The links of these nodes to existing nodes of other domains, and the bidirectional links from there, strongest first,
// up to a limit per node.
// mode: read
// params: domain, ids, out, in, least, limit
// returns: node, id, type, source_domain, source, target_domain, target, strength
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
CALL (n) {
  WITH n
  WHERE $out
  MATCH (n)-[:_LINKS]->(l:_Link)-[:_LEADS_TO]->(t:_Node)
  WHERE l._strength >= $least
  RETURN l, n AS source, t AS target
  UNION ALL
  WITH n
  WHERE $in
  MATCH (n)<-[:_LEADS_TO]-(l:_Link)<-[:_LINKS]-(s:_Node)
  WHERE l._bidirectional AND l._strength >= $least
    AND NOT EXISTS { MATCH (d:_Domain {_id: l._domain}) WHERE d._forked_from IS NOT NULL }
  RETURN l, s AS source, n AS target
}
WITH n, l, source, target
ORDER BY l._strength DESC, l._id
WITH n, collect([l, source, target])[..$limit] AS links
UNWIND links AS link
WITH n, link[0] AS l, link[1] AS source, link[2] AS target
RETURN n._id AS node, l._id AS id, l._link_type AS type, source._domain AS source_domain, source._id AS source,
       target._domain AS target_domain, target._id AS target, l._strength AS strength
