// Links of a type from a node to another, and whether the other is there.
// mode: read
// params: domain, node, target_domain, target, type
// returns: links, title
OPTIONAL MATCH (t:_Node {_domain: $target_domain, _id: $target})
RETURN COLLECT {
         MATCH (:_Node {_domain: $domain, _id: $node})-[:_LINKS]->(l:_Link)
         WHERE l._target_domain = $target_domain AND l._target = $target AND l._link_type = $type
         RETURN l._id
       } AS links, t._title AS title
