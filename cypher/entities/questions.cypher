// Open questions of remember: observations that may supersede others, while both are still current.
// mode: read
// params: domain, limit
// returns: entity, new, new_text, known, known_text
MATCH (o:_Observation)
WHERE o._domain = $domain AND o._id IS NOT NULL AND o._asks IS NOT NULL AND coalesce(o._valid_to > datetime(), true)
UNWIND o._asks AS asked
CALL (asked) {
  MATCH (k:_Observation {_domain: $domain, _id: asked})
  WHERE coalesce(k._valid_to > datetime(), true)
  RETURN k
}
MATCH (o)-[:_OBSERVES]->(n:_Node)
RETURN n.name AS entity, o._id AS new, o._text AS new_text, k._id AS known, k._text AS known_text
ORDER BY o._created DESC, new, known
LIMIT $limit
