// Links from the nodes of a domain or from one node, and the links to them that are shared with that domain, in the
// order of domain and id, with the titles of both ends. If the target does not exist, the row also contains whether
// its domain exists, and the last event of the target.
// mode: read
// params: domain, node, out, in, after, limit
// returns: key, id, domain, source, target, is_out, source_title, target_title, has_domain, last, stored
CALL () {
  WITH *
  WHERE $out AND $node IS NULL
  MATCH (l:_Link)
  WHERE l._domain = $domain AND l._id IS NOT NULL
  RETURN l, true AS is_out
  UNION ALL
  WITH *
  WHERE $out AND $node IS NOT NULL
  MATCH (:_Node {_domain: $domain, _id: $node})-[:_LINKS]->(l:_Link)
  RETURN l, true AS is_out
  UNION ALL
  WITH *
  WHERE $in AND $node IS NULL
  MATCH (l:_Link)
  WHERE l._target_domain = $domain AND l._target IS NOT NULL AND l._bidirectional
    AND NOT EXISTS { MATCH (d:_Domain {_id: l._domain}) WHERE d._forked_from IS NOT NULL }
  RETURN l, false AS is_out
  UNION ALL
  WITH *
  WHERE $in AND $node IS NOT NULL
  MATCH (l:_Link)
  WHERE l._target_domain = $domain AND l._target = $node AND l._bidirectional
    AND NOT EXISTS { MATCH (d:_Domain {_id: l._domain}) WHERE d._forked_from IS NOT NULL }
  RETURN l, false AS is_out
}
WITH l, is_out, l._domain + '/' + l._id AS key
WHERE key > $after
WITH l, is_out, key
ORDER BY key
LIMIT $limit
MATCH (n:_Node)-[:_LINKS]->(l)
WITH l, is_out, key, n
OPTIONAL MATCH (t:_Node {_domain: l._target_domain, _id: l._target})
OPTIONAL MATCH (d:_Domain {_id: l._target_domain})
CALL (l, t) {
  WITH l, t
  WHERE t IS NULL
  OPTIONAL MATCH (e:_Event)
  WHERE e._domain = l._target_domain AND e._subject = l._target AND e._seq > 0
  RETURN e AS e
  ORDER BY e._seq DESC
  LIMIT 1
  UNION ALL
  WITH t
  WHERE t IS NOT NULL
  RETURN null AS e
}
RETURN key, l._id AS id, l._domain AS domain, n._id AS source, l._target AS target, is_out,
       n._title AS source_title, t._title AS target_title, d IS NOT NULL AS has_domain, CASE WHEN e._erased THEN 'erased' ELSE e._op END AS last, properties(l) AS stored
ORDER BY key
