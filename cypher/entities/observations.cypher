// Observations of an entity that have one of these ids or texts, also those that hold no more.
// mode: read
// params: domain, node, wanted
// returns: id, text, is_over
MATCH (n:_Node {_domain: $domain, _id: $node})<-[:_OBSERVES]-(o:_Observation)
WHERE o._id IN $wanted OR o._text IN $wanted
RETURN o._id AS id, o._text AS text, NOT coalesce(o._valid_to > datetime(), true) AS is_over
ORDER BY o._created, coalesce(o._place, 0), o._id
