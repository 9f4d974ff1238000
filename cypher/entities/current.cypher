// The current observations of an entity in order of creation.
// mode: read
// params: domain, node
// returns: id, text
MATCH (n:_Node {_domain: $domain, _id: $node})<-[:_OBSERVES]-(o:_Observation)
WHERE coalesce(o._valid_to > datetime(), true)
RETURN o._id AS id, o._text AS text
ORDER BY o._created, coalesce(o._place, 0), o._id
